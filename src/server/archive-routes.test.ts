import assert from "node:assert/strict";
import { test } from "node:test";
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
