import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Entry } from "../../entry/entry.ts";
import type { Content } from "../../entry/message.ts";
import { contentText, editableContent } from "../../session/entry-content.ts";
import { AGENT_OPTIONS, Agent } from "../agent.ts";
import { stdinText } from "../line-reader.ts";
import { promptEntry } from "../prompt-place.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** The words of the call, else what an editor or standard input gives. Throws USAGE. */
async function changedText(call: Call, entry: Entry): Promise<string> {
  const words = call.words.slice(1).join(" ").trim();
  if (words !== "") return words;
  const before = contentText(editableContent(entry));
  const text = call.io.canAsk ? fromEditor(call, before) : await stdinText(call.io);
  if (text === "") throw usage("The new text is empty.");
  if (call.io.canAsk && text === before.trim()) throw usage("The text was not changed.");
  return text;
}

/** Opens $VISUAL or $EDITOR with the text in a file of its own. */
function fromEditor(call: Call, text: string): string {
  const { VISUAL, EDITOR } = call.io.env;
  const editor = VISUAL || EDITOR;
  if (editor === undefined || editor === "") {
    throw usage("The new text is missing.", "Give it as words, or name an editor in $EDITOR.");
  }
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-edit-"));
  try {
    const file = path.join(folder, "message.md");
    writeFileSync(file, text, { mode: 0o600 });
    // $EDITOR may hold arguments: a shell reads it, the file is a word of its own.
    const done = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    if (done.status !== 0) throw usage("The editor ended with a failure; nothing was asked.");
    return readFileSync(file, "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The new text with the pictures of the old message. */
function changedContent(entry: Entry, text: string): Content {
  const before = editableContent(entry);
  const others = typeof before === "string" ? [] : before.filter(({ type }) => type !== "text");
  return others.length === 0 ? text : [{ type: "text", text }, ...others];
}

/** The same question in other words, beside the first one. */
export const editVerb: Verb = {
  name: "edit",
  summary: "ask a message again with another text: a branch beside it",
  example: 'branchline edit @^ "列出 src 里的文件" --offline',
  arguments: [
    { name: "rev", about: "the message of a person", kind: "revision", required: true },
    { name: "text", about: "the new text; default $EDITOR", kind: "text", rest: true },
  ],
  options: AGENT_OPTIONS,
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const entry = await promptEntry(session, call.word(0, "REV"));
    const content = changedContent(entry, await changedText(call, entry));
    const above = session.tree.get(entry.id)?.parent?.id ?? null;
    await using agent = await Agent.open(call, session, { at: above });
    return await agent.run(async (harness) => {
      await harness.select(entry.id);
      await agent.begin();
      return await harness.prompt(content);
    });
  },
};
