import { statSync } from "node:fs";
import { cloneSession, forkSession } from "../../session/fork.ts";
import { Session } from "../../session/session.ts";
import type { StoreSession } from "../../store/store.ts";
import { byteSize } from "../byte-size.ts";
import { styled } from "../color.ts";
import { openTarget } from "../session-call.ts";
import type { Call, Verb } from "../verb.ts";

/** What the new session cost, and what it leans on (F121). */
async function report(call: Call, made: StoreSession, from: Session): Promise<void> {
  const bytes = made.file === null ? 0 : statSync(made.file).size;
  const isLinked = made.link !== undefined;
  const session = await Session.attach(made);
  // A copy holds the row that names the old session; a linked one gets the name as a row of its own.
  const name = call.text("name") ?? (isLinked ? from.tree.name() : null);
  if (name !== null) await session.rename(name);
  const { id, file: path, leaf } = session;
  const parentSession = made.header.parentSession ?? null;
  const row = { id, path, parentSession, leaf, from: from.id, linked: isLinked, bytes };
  call.out.either(row, () => [[styled("id", id)]]);
  if (call.out.json) return;
  call.out.talk(styled("faint", `in ${path}, ${byteSize(bytes)} written`));
  if (!isLinked) return;
  call.out.talk(
    `Linked: nothing was copied, session ${from.id} has to stay. Other programs, Pi too, see only what is added here.`,
  );
}

const NAME = { name: "name", value: "text", about: "a name for the new session" };
const LINK = { name: "link", about: "read the path where it is instead of copying it; not for Pi" };

function howOf(call: Call): "copy" | "link" {
  return call.has("link") ? "link" : "copy";
}

/** A new session from a point of this one. */
export const forkVerb: Verb = {
  name: "fork",
  summary: "a new session with a copy of the path to REV",
  example: "branchline fork @~2 -s last --name 试验",
  arguments: [{ name: "rev", about: "up to which entry", kind: "revision", required: true }],
  options: [NAME, LINK],
  async run(call) {
    const { session, id } = await openTarget(call, call.word(0, "REV"));
    const store = call.sessions.home.store;
    await report(
      call,
      await forkSession({ from: session, at: id, store, how: howOf(call) }),
      session,
    );
    return 0;
  },
};

/** A new session with the present path. */
export const cloneVerb: Verb = {
  name: "clone",
  summary: "a new session with a copy of the path to the leaf",
  example: "branchline clone last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [NAME, LINK],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    const store = call.sessions.home.store;
    await report(call, await cloneSession({ from: session, store, how: howOf(call) }), session);
    return 0;
  },
};
