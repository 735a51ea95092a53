import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError, type ErrorCode } from "../errors.ts";
import { branchNameFault } from "./branch-names.ts";
import { add, assistant, newFixture, talk, texts, user } from "./testing/session-fixture.ts";

const fails = (code: ErrorCode) => (error: unknown) => BranchlineError.is(error, code);

test("names may be anything that does not read as a revision", () => {
  for (const name of [
    "方案 B",
    "a",
    "x".repeat(100),
    "🎉".repeat(100),
    "v1.2",
    "a:b",
    "a@b",
    "Root",
  ]) {
    assert.equal(branchNameFault(name), null, name);
  }
  const bad = ["", " a", "a ", "a\nb", "a\u0000", "@a", ":a", "a..b", "root", "leaves", "forks"];
  for (const name of [
    ...bad,
    "compactions",
    "a~",
    "a~2",
    "a^",
    "a^3",
    "x".repeat(101),
    "a\u2028b",
  ]) {
    assert.notEqual(branchNameFault(name), null, JSON.stringify(name));
  }
});

test("a branch is made and named in one commit and moves nobody", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const other = await again();
  const size = session.tree.size;
  const id = await session.createBranch("方案 B", a1 ?? null);
  assert.equal(session.tree.size, size + 3);
  assert.equal(session.position, a2);
  assert.equal(session.branch, "main");
  await other.refresh();
  assert.equal(other.position, a2);
  assert.equal((await again()).position, a2);
  const info = session.branches().find((branch) => branch.name === "方案 B");
  assert.equal(info?.id, id);
  assert.equal(info?.kind, "branch");
  assert.equal(session.tree.position(info?.head ?? null), a1);
  await add(session, user("u3"));
  await session.moveToBranch("方案 B");
  await add(session, user("B"));
  assert.deepEqual(await texts(session), ["u1", "a1", "B"]);
});

test("a branch can start before the first entry, and in an empty session", async () => {
  const { session } = await newFixture();
  await session.createBranch("early");
  assert.equal(session.position, null);
  assert.equal(session.branch, "main");
  await add(session, user("u1"));
  await session.createBranch("fresh", null);
  await session.moveToBranch("fresh");
  assert.deepEqual(await texts(session), []);
  await session.moveToBranch("main");
  assert.deepEqual(await texts(session), ["u1"]);
});

test("a branch made while another handle appends hides nothing (P6)", async () => {
  const { session, again } = await newFixture();
  const [, a1] = await talk(session, 2);
  const other = await again();
  await Promise.all([other.append(user("meanwhile")), session.createBranch("b", a1 ?? null)]);
  await session.refresh();
  assert.equal((await texts(session)).at(-1), "meanwhile");
});

test("taken and bad names are refused, unknown branches and entries too", async () => {
  const { session } = await newFixture();
  const [u1] = await talk(session, 1);
  const id = await session.createBranch("a", u1 ?? null);
  const size = session.tree.size;
  await assert.rejects(session.createBranch("a"), (error) => {
    assert.ok(BranchlineError.is(error, "BRANCH_EXISTS"));
    assert.equal(error.fields.branch, id);
    return true;
  });
  await assert.rejects(session.createBranch("main"), fails("BRANCH_EXISTS"));
  await assert.rejects(session.createBranch("@x"), fails("BRANCH_NAME_INVALID"));
  await assert.rejects(session.createBranch("b", "nope"), fails("ENTRY_UNKNOWN"));
  await assert.rejects(session.renameBranch("nope", "b"), fails("BRANCH_UNKNOWN"));
  await assert.rejects(session.renameBranch("a", "main"), fails("BRANCH_EXISTS"));
  await assert.rejects(session.renameBranch("a", "b "), fails("BRANCH_NAME_INVALID"));
  await assert.rejects(session.archiveBranch("nope"), fails("BRANCH_UNKNOWN"));
  assert.equal(session.tree.size, size);
});

test("rename and archive are later rows; what changes nothing is not written", async () => {
  const { session, again } = await newFixture();
  await talk(session, 1);
  const id = await session.createBranch("a");
  await session.renameBranch("a", "b");
  await session.renameBranch("main", "trunk");
  await session.archiveBranch("b");
  const next = await again();
  assert.equal(next.tree.branch("a"), undefined);
  assert.equal(next.tree.branch("b")?.id, id);
  assert.equal(next.tree.branch("b")?.archived, true);
  assert.equal(next.tree.branch("trunk")?.id, "main");
  assert.equal(await session.renameBranch("b", "b"), null);
  assert.equal(await session.archiveBranch("b"), null);
  assert.notEqual(await session.unarchiveBranch("b"), null);
  assert.equal(session.tree.branch("b")?.archived, false);
  await add(session, assistant("still here"));
  assert.equal(session.branch, "main");
});

test("the branch that one stands on, or that the stored leaf is on, is not put away", async () => {
  const { session, again } = await newFixture();
  const [u1] = await talk(session, 1);
  await session.createBranch("side", u1 ?? null);
  await session.createBranch("third", u1 ?? null);
  await assert.rejects(session.archiveBranch("main"), fails("TARGET_INVALID"));
  const other = await again();
  await other.moveToBranch("side");
  await assert.rejects(other.archiveBranch("side"), fails("TARGET_INVALID"));
  await session.refresh();
  await assert.rejects(session.archiveBranch("side"), fails("TARGET_INVALID"));
  await assert.rejects(session.archiveBranch("main"), fails("TARGET_INVALID"));
  assert.notEqual(await other.archiveBranch("third"), null);
});

test("labels and the session's name: one line, latest wins, cleared by null (P76)", async () => {
  const { session, again } = await newFixture();
  const [u1] = await talk(session, 1);
  await session.setLabel(u1 ?? "", "  see\nthis\u0007 ");
  await session.rename("name\r\nof it");
  const next = await again();
  assert.equal(next.tree.labels().get(u1 ?? "")?.label, "see this");
  assert.equal(next.tree.name(), "name  of it");
  assert.equal(await next.setLabel(u1 ?? "", "see this"), null);
  assert.equal(await next.rename("name  of it"), null);
  await next.setLabel(u1 ?? "", " ");
  await next.rename("");
  assert.equal(next.tree.labels().size, 0);
  assert.equal(next.tree.name(), null);
  assert.equal(await next.setLabel(u1 ?? "", null), null);
  assert.equal(await next.rename(null), null);
  await assert.rejects(next.setLabel("nope", "x"), fails("ENTRY_UNKNOWN"));
});
