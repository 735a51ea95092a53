import { safeLine } from "../../view/safe-text.ts";
import { styled } from "../color.ts";
import { openEntry } from "../session-call.ts";
import { usage } from "../usage.ts";
import type { Verb } from "../verb.ts";

/** Labels an entry. */
export const labelVerb: Verb = {
  name: "label",
  summary: "name an entry; an empty text or --clear takes the label away",
  example: "branchline label @ 里程碑",
  arguments: [
    { name: "rev", about: "which entry", kind: "revision", required: true },
    { name: "text", about: "the label", kind: "text", rest: true },
  ],
  options: [{ name: "clear", about: "take the label away" }],
  async run(call) {
    const words = call.words.slice(1);
    if (words.length === 0 && !call.has("clear")) {
      throw usage("The label is missing.", 'Say a text, or --clear (also "") to take it away.');
    }
    const { session, id } = await openEntry(call, call.word(0, "REV"));
    const text = call.has("clear") ? "" : words.join(" ").trim();
    await session.setLabel(id, text === "" ? null : text);
    const label = session.tree.labels().get(id)?.label ?? null;
    call.out.either({ session: session.id, targetId: id, label }, () => [
      [styled("id", id), "  ", styled("label", label === null ? "(no label)" : safeLine(label))],
    ]);
    return 0;
  },
};

/** All labels. */
export const labelsVerb: Verb = {
  name: "labels",
  summary: "all labels with their times",
  example: "branchline labels last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    for (const row of session.tree.labels().values()) {
      call.out.either(row, () => [
        [
          styled("id", row.targetId),
          "  ",
          styled("label", safeLine(row.label)),
          styled("faint", `  ${row.timestamp}`),
        ],
      ]);
    }
    return 0;
  },
};
