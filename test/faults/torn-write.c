/*
 * Loaded in front of libc: the write that is number TORN_AT to a file whose path ends with .jsonl (or, where
 * TORN_PART is set, whose path contains that) writes half of its bytes, then the process is killed (TORN_HOW=kill) or told that the disk is full (TORN_HOW=full).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int count = 0;

static int is_session(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 6) return 0;
  path[length] = 0;
  const char *part = getenv("TORN_PART");
  if (part != NULL) return strstr(path, part) != NULL;
  return strcmp(path + length - 6, ".jsonl") == 0;
}

static int is_turn(int fd) {
  const char *at = getenv("TORN_AT");
  return at != NULL && is_session(fd) && __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) == atoi(at);
}

static ssize_t tear(ssize_t written) {
  const char *how = getenv("TORN_HOW");
  if (how != NULL && strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  (void)written;
  errno = ENOSPC;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  static ssize_t (*next)(int, const void *, size_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "write");
  return is_turn(fd) ? tear(next(fd, bytes, length / 2)) : next(fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "pwrite64");
  return is_turn(fd) ? tear(next(fd, bytes, length / 2, offset)) : next(fd, bytes, length, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
  static ssize_t (*next)(int, const struct iovec *, int);
  static ssize_t (*plain)(int, const void *, size_t);
  if (next == NULL) next = dlsym(RTLD_NEXT, "writev");
  if (plain == NULL) plain = dlsym(RTLD_NEXT, "write");
  if (number < 1 || !is_turn(fd)) return next(fd, parts, number);
  return tear(plain(fd, parts[0].iov_base, parts[0].iov_len / 2));
}
