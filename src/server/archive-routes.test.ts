import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createJsonlStore } from "../store/jsonl/jsonl-store.ts";
import { serverRig } from "./testing/server-rig.ts";

interface Packed {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly applied: boolean;
}

test("a session is packed after a plan, read as before, and brought back", async (t) => {
  const rig = await serverRig(t);
  const made = await rig.client.createSession({ name: "to be packed" });
  const { id } = made.row;
  const text = "the same words again and again. ".repeat(400);
  await rig.client.run(id, { text });
  const pack = (body: object): Promise<Packed> => rig.client.change(id, "archive", { body });
  const plan = await pack({});
  assert.equal(plan.applied, false);
  assert.ok(plan.bytesAfter < plan.bytesBefore);
  assert.equal((await rig.client.state(id)).readOnly, null);
  const done = await pack({ apply: true });
  assert.equal(done.applied, true);
  assert.ok(done.bytesAfter < done.bytesBefore);
  const packed = await rig.client.state(id);
  assert.notEqual(packed.readOnly ?? packed.row.readOnly, null);
  assert.ok((await rig.client.path(id)).rows.some(({ text: row }) => row.includes("again")));
  const back = await rig.client.change<Packed>(id, "unarchive", { body: {} });
  assert.equal(back.bytesAfter, done.bytesBefore);
  assert.equal((await rig.client.state(id)).readOnly, null);
});

test("what is shipped stays as it is, and what is Pi's stays readable for Pi", async (t) => {
  for (const kind of ["samples", "pi"] as const) {
    const shared = mkdtempSync(path.join(tmpdir(), "branchline-shared-"));
    t.after(() => rmSync(shared, { recursive: true }));
    const store = createJsonlStore({ root: shared });
    t.after(() => store.close());
    const entries = [
      { type: "message", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" },
    ].map((entry) => ({ ...entry, message: { role: "user", content: "hi" } }));
    const session = await store.create({ cwd: "/x", entries });
    await session.close();
    const rig = await serverRig(t, { more: [{ kind, directory: shared, store }] });
    if (kind === "pi") {
      const consent = { agent: "pi", consent: true };
      await rig.client.http.json("POST", "/api/sources", { body: consent });
    }
    assert.equal((await rig.client.state(session.id)).row.entries, 1);
    for (const body of [{}, { apply: true }]) {
      await assert.rejects(rig.client.change(session.id, "archive", { body }), { status: 403 });
    }
  }
});
