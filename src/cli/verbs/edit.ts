import { styled } from "../color.ts";
import { openEntry } from "../session-call.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

const TARGET = { name: "rev", about: "which entry", kind: "revision", required: true } as const;

type Edit = "hidden" | "replaced" | "restored";

function report(
  call: Call,
  result: { readonly session: string; readonly targetId: string; readonly edit: Edit },
): void {
  call.out.either(result, () => [[styled("id", result.targetId), `  ${result.edit}`]]);
  if (!call.out.json) call.out.talk("Only the context changes; the entry itself stays as it is.");
}

/** Takes an entry out of the context. */
export const hideVerb: Verb = {
  name: "hide",
  summary: "take an entry out of what the model sees; `unhide` brings it back",
  example: "branchline hide @~4",
  arguments: [TARGET],
  options: [],
  async run(call) {
    const { session, id } = await openEntry(call, call.word(0, "REV"));
    await session.hide(id);
    report(call, { session: session.id, targetId: id, edit: "hidden" });
    return 0;
  },
};

/** Shows the model another text. */
export const replaceVerb: Verb = {
  name: "replace",
  summary: "let the model see another text in place of an entry's",
  example: 'branchline replace @^ "检查项目配置文件"',
  arguments: [
    TARGET,
    { name: "text", about: "the text", kind: "text", required: true, rest: true },
  ],
  options: [],
  async run(call) {
    const text = call.words.slice(1).join(" ");
    if (text === "") throw usage("The text is missing.", "`branchline hide REV` hides an entry.");
    const { session, id } = await openEntry(call, call.word(0, "REV"));
    await session.replace(id, text);
    report(call, { session: session.id, targetId: id, edit: "replaced" });
    return 0;
  },
};

/** Takes an edit back. */
export const unhideVerb: Verb = {
  name: "unhide",
  summary: "show the model the original of an entry again",
  example: "branchline unhide @~4",
  arguments: [TARGET],
  options: [],
  async run(call) {
    const { session, id } = await openEntry(call, call.word(0, "REV"));
    await session.unhide(id);
    report(call, { session: session.id, targetId: id, edit: "restored" });
    return 0;
  },
};
