import type { EntryDraft } from "../../entry/entry.ts";
import type { StoreSession } from "../store.ts";

/** A message of a person. */
export function user(text: string, members: Partial<EntryDraft> = {}): EntryDraft {
  return { ...members, type: "message", message: { role: "user", content: text } };
}

/** An answer of a model that used `input` and `output` tokens. */
export function answer(
  text: string,
  tokens: { readonly input: number; readonly output: number },
): EntryDraft {
  const usage = {
    ...tokens,
    cacheRead: 1,
    cacheWrite: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
  };
  return {
    type: "message",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      provider: "p",
      model: "m",
      usage,
    },
  };
}

/** State of an extension: an entry without effect on the context. */
export function custom(data: unknown): EntryDraft {
  return { type: "custom", customType: "test.state", data };
}

/** The marker that starts a branch under `parentId`; its id is the branch's id. */
export function startMarker(
  session: StoreSession,
  parentId: string | null,
  id?: string,
): EntryDraft {
  return {
    type: "custom",
    customType: "branchline.leaf",
    data: { session: session.id, start: true, from: session.tree.leaf() },
    parentId,
    ...(id === undefined ? {} : { id }),
  };
}

/** A row of the table of branch names. */
export function nameRow(session: StoreSession, branch: string, name: string | null): EntryDraft {
  return {
    type: "custom",
    customType: "branchline.branch",
    data: { session: session.id, branch, name },
  };
}

/** One draft of every entry type, in an order in which each can follow the one before. */
export function everyType(target: string): readonly EntryDraft[] {
  const usage = { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 };
  return [
    {
      type: "message",
      message: { role: "system", content: "be brief", sections: [1], toolsAdded: [] },
    },
    {
      type: "message",
      message: {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image", data: "AA==", mimeType: "image/png" },
        ],
      },
    },
    {
      type: "message",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", thinkingSignature: "s" },
          {
            type: "toolCall",
            id: "c1",
            name: "bash",
            arguments: { command: "ls", deep: { a: [null, 1.5, true] } },
          },
        ],
        provider: "p",
        model: "m",
        usage,
        stopReason: "toolUse",
      },
    },
    {
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "bash",
        content: [{ type: "text", text: "x" }],
        isError: false,
      },
    },
    {
      type: "message",
      message: { role: "bashExecution", command: "ls", output: "", exitCode: null },
    },
    {
      type: "message",
      message: { role: "custom", customType: "note", content: "n", display: true },
    },
    { type: "model_change", provider: "p", modelId: "m2" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "active_tools_change", activeToolNames: ["bash", "read"] },
    { type: "usage", kind: "title", usage, note: "n" },
    {
      type: "compaction",
      summary: "s",
      firstKeptEntryId: target,
      tokensBefore: 9,
      details: { files: [] },
    },
    { type: "branch_summary", fromId: target, summary: "s", fromHook: true },
    { type: "context_edit", targetId: target, replacement: null },
    { type: "context_edit", targetId: target, replacement: { content: "y" } },
    { type: "custom", customType: "x.y", data: [1, { a: null }] },
    { type: "custom", customType: "x.y" },
    { type: "custom_message", customType: "x.y", content: "z", display: false },
    { type: "label", targetId: target, label: "important" },
    { type: "label", targetId: target },
    { type: "session_info", name: "name" },
    { type: "session_info" },
    { type: "leaf", targetId: target },
  ];
}
