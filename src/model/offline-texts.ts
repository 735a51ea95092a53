/** Everything that the offline model says, in English and in Chinese. */
export interface OfflineTexts {
  /** Stands before every answer, blank included: nobody shall take it for a model's. */
  readonly mark: string;
  readonly done: (name: string) => string;
  readonly failed: (name: string) => string;
  readonly cut: (characters: number) => string;
  readonly missing: (kinds: readonly string[]) => string;
  readonly plan: (names: readonly string[]) => string;
  readonly noPlan: string;
  readonly noteTitle: string;
  readonly asked: string;
  readonly found: (name: string) => string;
  readonly cannot: string;
  readonly abilities: string;
  readonly noAbilities: string;
  readonly seen: (messages: number, first: string) => string;
  readonly connect: string;
}

/** English. */
export const ENGLISH: OfflineTexts = {
  mark: "(offline model) ",
  done: (name) => `${name} gave:`,
  failed: (name) => `${name} failed:`,
  cut: (characters) => `… (${characters} characters in all)`,
  missing: (kinds) => `No tool is on that could ${kinds.join(" or ")}.`,
  plan: (names) => `The words of the request ask for ${names.join(", then ")}.`,
  noPlan: "No word of the request asks for a tool.",
  noteTitle: "# Note",
  asked: "Asked",
  found: (name) => `From ${name}`,
  cannot: "No model is connected, so nobody thinks about this; I only follow keywords.",
  abilities:
    "I can list, read and search files, write a note, and recall what was compacted. Try: “list the files, then read README.md”.",
  noAbilities: "No tools are on.",
  seen: (messages, first) =>
    `The context has ${messages} ${messages === 1 ? "message" : "messages"}; the first one says “${first}”.`,
  connect: "A model is connected with OPENAI_COMPATIBLE_BASE_URL and OPENAI_COMPATIBLE_MODEL.",
};

/** Chinese. */
export const CHINESE: OfflineTexts = {
  mark: "（离线模型）",
  done: (name) => `${name} 返回：`,
  failed: (name) => `${name} 失败：`,
  cut: (characters) => `…（共 ${characters} 个字符）`,
  missing: (kinds) => `没有可用的工具来${kinds.join("或")}。`,
  plan: (names) => `按请求中的关键词，依次调用 ${names.join("、")}。`,
  noPlan: "请求中没有要用到工具的关键词。",
  noteTitle: "# 笔记",
  asked: "请求",
  found: (name) => `来自 ${name}`,
  cannot: "没有连接真正的模型，所以没有谁在思考这个问题；我只按关键词行事。",
  abilities:
    "我可以列出、读取、搜索文件，写笔记，并找回被压缩的内容。试试：“列出文件，然后读取 README.md”。",
  noAbilities: "没有启用任何工具。",
  seen: (messages, first) => `当前上下文有 ${messages} 条消息，第一条是“${first}”。`,
  connect: "用 OPENAI_COMPATIBLE_BASE_URL 和 OPENAI_COMPATIBLE_MODEL 可以连接模型。",
};

/** What a kind of wish is called. */
export const WISH_NAMES = {
  english: {
    list: "list files",
    read: "read files",
    search: "search",
    write: "write notes",
    recall: "recall",
    test: "run tests",
  },
  chinese: {
    list: "列出文件",
    read: "读取文件",
    search: "搜索",
    write: "写笔记",
    recall: "回忆",
    test: "运行测试",
  },
} as const;
