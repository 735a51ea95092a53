import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syncedBy } from "./synced-folder.ts";

describe("folders that are synced between machines are recognised (two machines with one file)", () => {
  const named: readonly (readonly [string, string])[] = [
    ["/home/me/Dropbox/s.jsonl", "Dropbox"],
    ["/Users/me/Dropbox (Work)/a/b/s.jsonl", "Dropbox"],
    ["/Users/me/OneDrive/s.jsonl", "OneDrive"],
    ["/mnt/c/Users/me/OneDrive - Company/s.jsonl", "OneDrive"],
    ["/Users/me/Google Drive/s.jsonl", "Google Drive"],
    ["/Users/me/Library/CloudStorage/GoogleDrive-me@x/s.jsonl", "Google Drive"],
    ["/Users/me/Library/Mobile Documents/com~apple~CloudDocs/s.jsonl", "iCloud"],
    ["/home/me/Nextcloud/s.jsonl", "Nextcloud"],
    ["/home/me/ownCloud/s.jsonl", "ownCloud"],
  ];
  for (const [path, program] of named) {
    it(`${program} by the name in ${path}`, async () => {
      assert.equal(await syncedBy(path, async () => false), program);
    });
  }

  const marked: readonly (readonly [string, string])[] = [
    [".stfolder", "Syncthing"],
    [".dropbox", "Dropbox"],
    [".dropbox.cache", "Dropbox"],
    [".tmp.drivedownload", "Google Drive"],
    [".nextcloudsync.log", "Nextcloud"],
    [".owncloudsync.log", "ownCloud"],
  ];
  for (const [marker, program] of marked) {
    it(`${program} by ${marker} in a folder above`, async () => {
      const has = async (path: string): Promise<boolean> => path === `/data/shared/${marker}`;
      assert.equal(await syncedBy("/data/shared/a/b/s.jsonl", has), program);
      assert.equal(await syncedBy("/data/other/s.jsonl", has), null);
    });
  }

  it("names that only look alike are none", async () => {
    for (const folder of ["Dropboxes", "my Dropbox", "OneDriveX", "drive", "nextcloud-notes"]) {
      assert.equal(await syncedBy(`/home/me/${folder}/s.jsonl`, async () => false), null);
    }
  });
});
