import { seededRandom } from "./seeded.ts";

const WORDS =
  "the session tree keeps every branch of a conversation and nothing is lost while models read files run tests write code explain results 会话 树 分支 方案 context window compaction summary token".split(
    " ",
  );

/** A session file of questions, answers with calls, and results, with 20 leaves; the same in every run. */
export function longSession(entries: number): string {
  const pick = seededRandom(5);
  const text = (words: number): string =>
    Array.from({ length: words }, () => WORDS[pick(WORDS.length)]).join(" ");
  const head = { id: "long", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/ada/engine" };
  const lines: unknown[] = [{ type: "session", version: 3, ...head }];
  const fork = Math.max(2, Math.floor(entries / 20));
  let parent = -1;
  for (let at = 0; at < entries; at++) {
    if (at > 0 && at % fork === 0) parent = pick(at);
    lines.push({
      type: "message",
      id: `e${at}`,
      parentId: parent < 0 ? null : `e${parent}`,
      timestamp: new Date(1_767_225_600_000 + at * 7000).toISOString(),
      message: messageAt(at, text),
    });
    parent = at;
  }
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

function messageAt(at: number, text: (words: number) => string): unknown {
  const answer = { role: "assistant", provider: "p", model: "m-1", stopReason: "stop" };
  const id = `call_${at - (at % 4)}`;
  switch (at % 4) {
    case 0:
      return { role: "user", content: `question ${at + 1} ${text(12)}` };
    case 1: {
      const call = { type: "toolCall", id, name: "read", arguments: { path: `src/${at}.ts` } };
      const words = `## Step ${at}\n\n${text(40)}\n\n- ${text(6)}\n\n\`\`\`ts\nconst a = ${at};\n\`\`\``;
      return { ...answer, content: [{ type: "text", text: words }, call] };
    }
    case 2: {
      const content = [{ type: "text", text: text(160) }];
      return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false };
    }
    default:
      return { ...answer, content: [{ type: "text", text: text(60) }] };
  }
}
