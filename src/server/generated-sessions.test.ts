import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import type { WireEvent } from "../protocol/event.ts";
import { EventHub } from "./event-hub.ts";
import { type GeneratedSession, GeneratedSessions } from "./generated-sessions.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const ID = "0198c0de-0000-7000-8000-0000000000aa";

interface Scene {
  readonly home: string;
  readonly told: readonly WireEvent[];
  readonly sessions: GeneratedSessions;
}

function scene(make: GeneratedSession["make"]): Scene & Disposable {
  const home = mkdtempSync(path.join(tmpdir(), "branchline-generated-"));
  const hub = new EventHub(DEFAULT_LIMITS);
  const told: WireEvent[] = [];
  const end = (): void => undefined;
  const filter = { sessions: null, run: null };
  hub.add({ filter, client: "test", take: ({ event }) => told.push(event), end });
  const facts = { id: ID, title: "large", cwd: "/p", created: "2026-01-05T08:00:00.000Z" };
  const sessions = new GeneratedSessions([{ ...facts, entries: 100, make }], home, hub);
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  return { home, told, sessions, [Symbol.dispose]: remove };
}

const filesIn = (home: string): readonly string[] =>
  readdirSync(path.join(home, "sessions/samples"));

test("one that is not there is listed, made once for all who ask, and told of", async () => {
  let made = 0;
  using at = scene(async (file, onProgress) => {
    made++;
    onProgress(40);
    onProgress(140);
    await writeFile(file, "whole");
  });
  const [row] = at.sessions.missing(new Set());
  assert.deepEqual([row?.id, row?.path, row?.entries], [ID, null, 100]);
  assert.deepEqual(at.sessions.missing(new Set([ID])), []);
  await at.sessions.ensure("another");
  assert.equal(made, 0);
  await Promise.all([at.sessions.ensure(ID), at.sessions.ensure(ID)]);
  await at.sessions.ensure(ID);
  assert.equal(made, 1);
  assert.deepEqual(filesIn(at.home), [`${ID}.jsonl`]);
  const steps = at.told.map(({ type, data }) => `${type} ${Object(data).done ?? ""}`.trim());
  assert.deepEqual(steps, [
    ...["index_progress 0", "index_progress 40", "index_progress 100", "index_progress 100"],
    "session_created",
  ]);
});

test("where making fails nothing half is left, all who waited hear it, and it can be tried again", async () => {
  let attempts = 0;
  using at = scene(async (file) => {
    await writeFile(file, "half");
    if (++attempts > 1) return;
    const fields = { operation: "write", path: file, errno: "ENOSPC" };
    throw new BranchlineError("IO_FAILED", fields, { message: "no space" });
  });
  const both = await Promise.allSettled([at.sessions.ensure(ID), at.sessions.ensure(ID)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.deepEqual(filesIn(at.home), []);
  await at.sessions.ensure(ID);
  assert.deepEqual(filesIn(at.home), [`${ID}.jsonl`]);
});
