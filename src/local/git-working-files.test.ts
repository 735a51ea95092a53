import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { GitWorkingFiles } from "./git-working-files.ts";

function folder(context: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "branchline-git-"));
  context.after(() => rmSync(root, { recursive: true }));
  return root;
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

const hasGit = ((): boolean => {
  try {
    git(tmpdir(), "--version");
    return true;
  } catch {
    return false;
  }
})();

test("commit, branch and dirty state of a folder", { skip: !hasGit }, async (context) => {
  const cwd = folder(context);
  const files = new GitWorkingFiles({ cwd });
  git(cwd, "init", "-q", "-b", "trunk");
  assert.deepEqual(await files.look(), { commit: null, branch: "trunk", dirty: false });
  writeFileSync(join(cwd, "a.txt"), "1");
  assert.equal((await files.look())?.dirty, true);
  git(cwd, "add", ".");
  git(cwd, "commit", "-q", "-m", "one");
  const commit = git(cwd, "rev-parse", "HEAD");
  assert.deepEqual(await files.look(), { commit, branch: "trunk", dirty: false });
  writeFileSync(join(cwd, "a.txt"), "2");
  assert.deepEqual(await files.look(), { commit, branch: "trunk", dirty: true });
  git(cwd, "checkout", "-q", "-f", "--detach");
  assert.deepEqual(await files.look(), { commit, branch: null, dirty: false });
});

test("no repository, no git, no folder, nothing that git says: null", async (context) => {
  const cwd = folder(context);
  process.env.GIT_CEILING_DIRECTORIES = tmpdir();
  context.after(() => delete process.env.GIT_CEILING_DIRECTORIES);
  assert.equal(await new GitWorkingFiles({ cwd }).look(), null);
  assert.equal(await new GitWorkingFiles({ cwd: join(cwd, "gone") }).look(), null);
  assert.equal(await new GitWorkingFiles({ cwd, command: join(cwd, "no-git") }).look(), null);
  assert.equal(await new GitWorkingFiles({ cwd, command: "true" }).look(), null);
});

test("a git that hangs is given up; an answer without end is a dirty folder", async (context) => {
  const cwd = folder(context);
  const script = (name: string, text: string): string => {
    const path = join(cwd, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o700);
    return path;
  };
  const hanging = script("hang", "exec sleep 60");
  assert.equal(await new GitWorkingFiles({ cwd, command: hanging, timeoutMs: 50 }).look(), null);
  const endless = script(
    "endless",
    "[ \"$1\" = config ] && exit 1\necho '# branch.oid abc'\nexec yes '? file'",
  );
  const state = await new GitWorkingFiles({ cwd, command: endless }).look();
  assert.deepEqual(state, { commit: "abc", branch: null, dirty: true });
});

/** A repository with a file that git has to compare again. */
function repository(context: TestContext): { readonly cwd: string; readonly marker: string } {
  const cwd = folder(context);
  git(cwd, "init", "-q", "-b", "trunk");
  writeFileSync(join(cwd, "a.txt"), "same length 1");
  git(cwd, "add", ".");
  git(cwd, "commit", "-q", "-m", "one");
  writeFileSync(join(cwd, "a.txt"), "same length 2");
  return { cwd, marker: join(folder(context), "started") };
}

test("what a repository would have git start is not started", {
  skip: !hasGit,
}, async (context) => {
  const { cwd, marker } = repository(context);
  const start = `touch ${marker}; cat`;
  git(cwd, "config", "core.fsmonitor", start);
  for (const name of ["evil", "a.b=c"]) {
    git(cwd, "config", `filter.${name}.clean`, start);
    git(cwd, "config", `filter.${name}.required`, "true");
    writeFileSync(join(cwd, ".git", "info", "attributes"), `a.txt filter=${name}\n`);
    assert.equal((await new GitWorkingFiles({ cwd }).look())?.dirty, true);
    git(cwd, "config", `filter.${name}.process`, start);
    assert.equal((await new GitWorkingFiles({ cwd }).look())?.dirty, true);
  }
  assert.equal(existsSync(marker), false);
  assert.throws(() => git(cwd, "-c", "core.fsmonitor=false", "status"), "it speaks no protocol");
  assert.equal(existsSync(marker), true, "plain git starts it");
});

test("settings that a repository includes from elsewhere are its own, too", {
  skip: !hasGit,
}, async (context) => {
  const { cwd, marker } = repository(context);
  const included = join(cwd, "..included");
  writeFileSync(included, `[filter "evil"]\n\tclean = touch ${marker}; cat\n`);
  git(cwd, "config", "include.path", included);
  writeFileSync(join(cwd, ".gitattributes"), "a.txt filter=evil\n");
  await new GitWorkingFiles({ cwd }).look();
  assert.equal(existsSync(marker), false);
});

test("a filter of the person's own settings still runs", {
  skip: !hasGit,
}, async (context) => {
  const { cwd, marker } = repository(context);
  const own = join(folder(context), "config");
  writeFileSync(own, `[filter "mine"]\n\tclean = touch ${marker}; cat\n`);
  writeFileSync(join(cwd, ".git", "info", "attributes"), "a.txt filter=mine\n");
  const former = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = own;
  context.after(() => {
    if (former === undefined) delete process.env.GIT_CONFIG_GLOBAL;
    else process.env.GIT_CONFIG_GLOBAL = former;
  });
  await new GitWorkingFiles({ cwd }).look();
  assert.equal(existsSync(marker), true);
});
