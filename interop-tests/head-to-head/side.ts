/** What both engines are asked for: the same questions, so that one oracle can judge the answers. */

/** One open session. */
export interface OpenSession {
  readonly file: string | null;
  readonly id: string;
  readonly cwd: string;
  readonly leaf: string | null;
  /** What was reported about damage while opening, besides what stands on standard error. */
  readonly reports: number;
  readonly readOnly: boolean;
  /** One text for each message of the context; gap markers are left out and counted in `gaps`. */
  texts(): Promise<Shown>;
  /** Appends a user message; gives its id once it is acknowledged. */
  append(text: string): Promise<string>;
  /** Appends a message object that the caller keeps. */
  appendMessage(message: UserMessage): Promise<string>;
  /** A model change, a name and an extension's entry. */
  appendSettings(): Promise<void>;
  /** Goes back to an entry; the next append hangs under it. */
  moveTo(id: string): Promise<void>;
  /** The whole tree as JSON: its length. */
  treeJson(): Promise<number>;
  close(): Promise<void>;
}

export interface Shown {
  readonly texts: readonly string[];
  readonly roles: readonly string[];
  readonly gaps: number;
}

export interface UserMessage {
  role: "user";
  content: string;
  timestamp: number;
}

/** One row of a list. */
export interface Listed {
  readonly file: string;
  readonly messages: number;
  readonly name: string | null;
}

/** One engine. `folder` is the folder that sessions lie in. */
export interface Side {
  readonly title: string;
  open(folder: string, file: string): Promise<OpenSession>;
  start(folder: string): Promise<OpenSession>;
  /** Opens the session of a name that all processes share, or starts it. */
  openOrStart(folder: string, name: string): Promise<OpenSession>;
  list(folder: string): Promise<readonly Listed[]>;
  /** The session that "continue the last one" takes; null = a new one. */
  mostRecent(folder: string): Promise<string | null>;
  /** A copy of a session in `into`: its file. */
  fork(file: string, into: string): Promise<string>;
  /** The list as a person sees it. */
  shownList(folder: string): Promise<string>;
}

export type SideName = "pi" | "branchline";

type Members = Readonly<Record<string, unknown>>;

/** One text a message, for both engines. */
export function shown(messages: readonly unknown[], gapType: string): Shown {
  const all = messages.map((message) => message as Members);
  const real = all.filter(({ customType }) => customType !== gapType);
  return {
    texts: real.map(textOf),
    roles: real.map(({ role }) => String(role)),
    gaps: all.length - real.length,
  };
}

function textOf({ content, summary }: Members): string {
  if (typeof summary === "string") return summary;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: Members) => String(block.text ?? "")).join(" ");
}
