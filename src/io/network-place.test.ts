import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createNetworkProbe, type NetworkProbeOptions } from "./network-place.ts";

function absent(): never {
  throw Object.assign(new RangeError("nothing there"), { code: "ENOENT" });
}

function linux(options: Omit<NetworkProbeOptions, "platform">): (path: string) => string | null {
  return createNetworkProbe({ platform: "linux", ...options });
}

const MOUNTS = [
  "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
  "30 22 0:40 / /mnt/far rw,relatime shared:1 - fuse.sshfs me@host: rw",
  "31 22 0:41 / /mnt/my\\040disk rw,relatime - fuse.ntfs-3g /dev/sdb1 rw",
  "32 30 0:42 / /mnt/far/local rw - fuse.mergerfs a:b rw",
  "",
].join("\n");

describe("network file systems are told from disks (F033, reliability.md §5)", () => {
  const types: readonly (readonly [string, bigint])[] = [
    ["nfs", 0x6969n],
    ["smb", 0x517bn],
    ["cifs", 0xff534d42n],
    ["smb2", 0xfe534d42n],
    ["9p", 0x01021997n],
    ["afs", 0x5346414fn],
    ["coda", 0x73757245n],
    ["ncp", 0x564cn],
    ["ceph", 0x00c36400n],
    ["lustre", 0x0bd00bd0n],
    ["gpfs", 0x47504653n],
  ];
  for (const [name, type] of types) {
    it(`${name} by its type number`, () => {
      assert.equal(linux({ typeAt: () => type })("/home/me/s.jsonl"), name);
    });
  }

  it("ext4, XFS, Btrfs, tmpfs, overlayfs and ZFS are none", () => {
    for (const type of [0xef53n, 0x58465342n, 0x9123683en, 0x01021994n, 0x794c7630n, 0x2fc12fc1n]) {
      assert.equal(linux({ typeAt: () => type })("/home/me"), null);
    }
  });

  it("FUSE is judged by what is mounted nearest: sshfs is one, a local disk is none", () => {
    const probe = linux({ typeAt: () => 0x65735546n, mounts: () => MOUNTS });
    assert.equal(probe("/mnt/far"), "fuse.sshfs");
    assert.equal(probe("/mnt/far/sessions/s.jsonl"), "fuse.sshfs");
    assert.equal(probe("/mnt/far/local/s.jsonl"), null);
    assert.equal(probe("/mnt/my disk/s.jsonl"), null);
    assert.equal(probe("/mnt/farther/s.jsonl"), null);
  });

  it("the order of the mounts does not matter", () => {
    const mounts = (): string => MOUNTS.split("\n").toReversed().join("\n");
    const probe = linux({ typeAt: () => 0x65735546n, mounts });
    assert.equal(probe("/mnt/far/s.jsonl"), "fuse.sshfs");
    assert.equal(probe("/mnt/far/local/s.jsonl"), null);
  });

  it("FUSE counts as local where the mounts cannot be read", () => {
    assert.equal(linux({ typeAt: () => 0x65735546n, mounts: absent })("/mnt/far"), null);
  });

  it("what is not there yet lies where its nearest folder lies", () => {
    const typeAt = (path: string): bigint => (path === "/mnt" ? 0x6969n : absent());
    assert.equal(linux({ typeAt })("/mnt/new/folder/s.jsonl"), "nfs");
    assert.equal(linux({ typeAt: absent })("/nowhere"), null);
  });

  it("a path that the system refuses to tell about counts as local", () => {
    const typeAt = (): never => {
      throw Object.assign(new RangeError("no"), { code: "EACCES" });
    };
    assert.equal(linux({ typeAt })("/secret/s.jsonl"), null);
  });

  it("on Windows a share is one and a drive is none", () => {
    const probe = createNetworkProbe({ platform: "win32" });
    assert.equal(probe("\\\\server\\share\\s.jsonl"), "a network share");
    for (const path of ["C:\\me\\s.jsonl", "\\\\?\\C:\\me", "\\\\.\\pipe\\x"]) {
      assert.equal(probe(path), null, path);
    }
  });

  it("elsewhere nothing can be told", () => {
    assert.equal(createNetworkProbe({ platform: "darwin" })("/Volumes/far"), null);
  });

  it("this machine's folder for temporary files answers, also for what is not there", () => {
    const probe = createNetworkProbe();
    assert.equal(probe(join(tmpdir(), "not", "there")), probe(tmpdir()));
    const real = createNetworkProbe({ platform: "linux", typeAt: () => 0x65735546n });
    assert.equal(real(tmpdir()), null);
  });
});
