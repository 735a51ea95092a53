import path from "node:path";
import { Session } from "../../session/session.ts";
import { safeLine } from "../../view/safe-text.ts";
import { styled } from "../color.ts";
import { placeNotes } from "../place-notes.ts";
import { usage } from "../usage.ts";
import type { Verb } from "../verb.ts";

/** Starts a session. */
export const newVerb: Verb = {
  name: "new",
  summary: "start a session for this folder",
  example: "branchline new 配置排查",
  arguments: [{ name: "name", about: "a name for it", kind: "text", rest: true }],
  options: [
    { name: "cwd", value: "dir", about: "for another folder" },
    { name: "id", value: "id", about: "with this id instead of a new one" },
  ],
  async run(call) {
    const name = call.words.join(" ").trim();
    const id = call.text("id");
    const cwd = path.resolve(call.io.cwd, call.text("cwd") ?? ".");
    const store = await call.sessions.home.store.create({
      cwd,
      ...(id === undefined ? {} : { id }),
    });
    const session = await Session.attach(store);
    if (name !== "") await session.rename(name);
    const row = { id: session.id, path: session.file, cwd, name: name === "" ? null : name };
    call.out.either(row, () => [[styled("id", session.id)]]);
    if (!call.out.json) call.out.talk(styled("faint", `in ${session.file}`));
    const place = await call.sessions.home.store.placeOf(session.file ?? "");
    for (const note of placeNotes(place)) call.out.talk(styled("warning", safeLine(note)));
    return 0;
  },
};

/** Names a session. */
export const nameVerb: Verb = {
  name: "name",
  summary: "name a session; without a text, show its name",
  example: "branchline name last 配置排查",
  arguments: [
    { name: "session", about: "which session", kind: "session" },
    { name: "text", about: "the name", kind: "text", rest: true },
  ],
  options: [{ name: "clear", about: "take the name away" }],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    const text = call.wordsAfterSession.join(" ").trim();
    if (call.has("clear")) await session.rename(null);
    else if (text !== "") await session.rename(text);
    const name = session.tree.name();
    call.out.either({ id: session.id, name }, () => [[safeLine(name ?? "(no name)")]]);
    return 0;
  },
};

/** Follows a project folder that moved. */
export const relocateVerb: Verb = {
  name: "relocate",
  summary: "tell a session, or all of a folder, that the project folder moved",
  example: "branchline relocate --from ~/old/app ~/new/app",
  arguments: [
    { name: "words", about: "SESSION DIR, or with --from only DIR", kind: "session", rest: true },
  ],
  options: [{ name: "from", value: "dir", about: "all sessions of this folder" }],
  async run(call) {
    const from = call.text("from");
    const directory = from === undefined ? call.wordsAfterSession[0] : call.words[0];
    if (directory === undefined) throw usage("The new folder is missing.");
    const cwd = path.resolve(call.io.cwd, directory);
    const paths =
      from === undefined
        ? [(await call.sessions.find(call.sessionReference)).path]
        : (await call.sessions.list({ cwd: path.resolve(call.io.cwd, from) })).map((r) => r.path);
    for (const old of paths) {
      if (old === null) continue;
      const moved = await call.sessions.home.store.relocate(old, cwd);
      call.out.either({ from: old, path: moved, cwd }, () => [[safeLine(moved)]]);
    }
    if (paths.length === 0) call.out.talk("No session belongs to that folder.");
    return paths.length === 0 ? 1 : 0;
  },
};
