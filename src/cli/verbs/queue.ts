import { DurableQueues } from "../../harness/durable-queues.ts";
import type { QueuedMessage, QueueName } from "../../harness/queue.ts";
import { contentWords } from "../../session/entry-preview.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { truncate } from "../width.ts";

const QUEUES: readonly QueueName[] = ["steer", "followUp", "nextTurn"];

/** A waiting message, as `--json` has it. */
export function queueRow(
  session: string,
  message: QueuedMessage,
  state: "waiting" | "removed",
): Readonly<Record<string, unknown>> {
  const { id, queue, content, branch, timestamp } = message;
  return { session, id, queue, state, branch, timestamp, content };
}

/** A waiting message for people. */
export function queueLine(message: QueuedMessage, columns: number): readonly Piece[] {
  const { id, queue, content } = message;
  const room = Math.max(20, columns - id.length - 14);
  return [
    styled("id", id),
    styled("label", `  ${queue.padEnd(9)}`),
    ` ${truncate(safeLine(contentWords(content)), room)}`,
  ];
}

function queueName(text: string): QueueName {
  const found = QUEUES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw usage(`${text} is no queue.`, `The queues are ${QUEUES.join(", ")}.`);
}

function restText(call: Call): string {
  const text = call.words.slice(2).join(" ").trim();
  if (text === "") throw usage("The text is missing.");
  return text;
}

/** A waiting message by its id or a prefix of it that fits one only. */
function waitingId(queues: DurableQueues, prefix: string): string {
  const ids = queues.list().map(({ id }) => id);
  if (ids.includes(prefix)) return prefix;
  const fits = ids.filter((id) => id.startsWith(prefix));
  return fits.length === 1 && fits[0] !== undefined ? fits[0] : prefix;
}

/** What waits for runs. */
export const queueVerb: Verb = {
  name: "queue",
  summary: "what waits for the agent: list; add QUEUE TEXT, edit ID TEXT, remove ID",
  example: "branchline queue add nextTurn 然后运行测试",
  arguments: [
    {
      name: "action",
      about: "default list",
      kind: "choice",
      choices: ["list", "add", "edit", "remove"],
    },
    { name: "words", about: "queue or id, then the text", kind: "text", rest: true },
  ],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const queues = await DurableQueues.load(session);
    const { branch } = session;
    const action = call.words[0] ?? "list";
    if (action === "add") {
      const queue = queueName(call.word(1, "QUEUE"));
      // What waits for the next turn may be taken by whichever run comes first.
      const options = queue === "nextTurn" ? {} : { branch };
      show(call, session.id, [await queues.add(queue, restText(call), options)]);
      if (!call.out.json) call.out.talk("A run takes it; `branchline resume` begins one.");
    } else if (action === "edit") {
      const id = waitingId(queues, call.word(1, "ID"));
      show(call, session.id, [await queues.edit(id, restText(call))]);
    } else if (action === "remove") {
      const message = await queues.remove(waitingId(queues, call.word(1, "ID")));
      call.out.either(queueRow(session.id, message, "removed"), () => [
        ["removed  ", ...queueLine(message, call.out.columns - 9)],
      ]);
    } else if (action === "list") {
      show(call, session.id, queues.list());
      if (queues.list().length === 0) call.out.talk("Nothing waits.");
    } else throw usage(`queue cannot ${action}.`);
    return 0;
  },
};

function show(call: Call, session: string, messages: readonly QueuedMessage[]): void {
  for (const message of messages) {
    call.out.either(queueRow(session, message, "waiting"), () => [
      queueLine(message, call.out.columns),
    ]);
  }
}
