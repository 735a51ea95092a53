/** What the offline model can do for a person. */
export type WishKind = "list" | "read" | "search" | "write" | "recall" | "test";

/** One thing that a text asks for. */
export interface Wish {
  readonly kind: WishKind;
  /** Of list, read, write: the path that is named; null = none is. */
  readonly path: string | null;
  /** Of search, recall: what is looked for. Of write: what is to be noted. null = not said. */
  readonly text: string | null;
}

/** Words that ask for something, English and Chinese. */
const WORDS: readonly (readonly [WishKind, RegExp])[] = [
  ["test", /\brun (?:all |the |these |its )*tests?\b|(?:运行|跑)(?:一下|一遍|所有|全部)?测试/giu],
  [
    "recall",
    /\b(recall|remember|remind me|what did (?:i|we|you) (?:say|decide))\b|回忆|还记得|想起|之前(说|提|聊)/giu,
  ],
  [
    "list",
    /\b(list|ls|(?:what|which|show)(?: me)?(?: the| all)? files?)\b|列出|列一下|列表|(有)?哪些文件|文件列表|目录/giu,
  ],
  ["search", /\b(search|grep|look for|find(?! out))\b|搜索|搜一下|搜一搜|查找|检索|寻找/giu],
  [
    "write",
    /\b(?:(?:write|save|jot)\b(?=[^.\n]{0,40}(?:\bnotes?\b|\.[a-z]+\b|:))|(?:take|make|add)(?: a)? note\b|note (?:down|that)\b)|写(一?[条个份篇]|下|入|个)?(?=.{0,6}(笔记|note|文件|[:：]))|写下|写入|记下|记录下?|做.{0,2}笔记|保存/giu,
  ],
  [
    "read",
    /\b(read|open|cat|look (?:at|into)|view|show(?= [\w./-]+\.\w))\b|读取|读一下|读|打开|查看|看看|看一下/giu,
  ],
];

const PATH =
  /(?<![\w./-])(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])|\bREADME\b/gu;
const FOLDER =
  /(?<![\w./-])(?:[\w-]+\/)+(?![\w./-])|(?<=\b(?:in|under|of) (?:the )?(?:folder |directory )?)[\w-]+(?= folder| directory|\/)/u;
/** Some file, none by name. */
const ANY_FILE = /\b(files?|it|them|first|one)\b|文件|第一个|它|其中/iu;
const QUOTED = /["“「『`]([^"”」』`]{1,200})["”」』`]/u;
/** What stands between the word that asks and what it asks for. */
const FILLER =
  /^(?:\s|(?:for|the|a|an|about|what|we|i|you|did|said|say|decided?|earlier|before|files?|in|all|lines?|with|text|me|please)\b|关于|一下|文件|内容|我们|我|你|的|有关|里|中|包含|所有|在|了|过|吗|[:：,，])+/iu;
const ENDING =
  /(?:\s*(?:in|within) (?:the |all )?(?:files?|folder|workspace|notes?)|文件|的(?:内容|地方|行)|吗|呢|[\s.。!！?？,，;；])+$/iu;

/** A place in a text where something is asked for. */
interface Place {
  readonly kind: WishKind;
  readonly from: number;
  readonly to: number;
}

/** Places inside of names of files, which ask for nothing, whatever words are in them (`docs/search.md`). */
function namesOfFiles(text: string): ReadonlySet<number> {
  const inside = new Set<number>();
  for (const { index, 0: name } of text.matchAll(PATH)) {
    for (let at = index; at < index + name.length; at++) inside.add(at);
  }
  return inside;
}

function placesIn(text: string): readonly Place[] {
  const places: Place[] = [];
  const inName = namesOfFiles(text);
  for (const [kind, words] of WORDS) {
    for (const { index, 0: word } of text.matchAll(words)) {
      if (!inName.has(index)) places.push({ kind, from: index, to: index + word.length });
    }
  }
  places.sort((a, b) => a.from - b.from || b.to - a.to);
  // Of words that overlap, the first and longest counts; a word said twice in a row asks once.
  const kept: Place[] = [];
  for (const place of places) {
    const last = kept.at(-1);
    if (last !== undefined && place.from < last.to) continue;
    if (last?.kind === place.kind && !isNewRequest(text.slice(last.to, place.from))) continue;
    kept.push(place);
  }
  return kept;
}

const isNewRequest = (between: string): boolean =>
  /[.。;；\n]|\bthen\b|然后|接着|再/iu.test(between);

function wanted(rest: string): string | null {
  const quoted = QUOTED.exec(rest)?.[1];
  if (quoted !== undefined) return quoted.trim();
  const clause = rest.split(/[.。;；\n!！?？]|,? (?:and )?then\b|，?(?:然后|接着|再)/iu)[0] ?? "";
  const text = clause.replace(FILLER, "").replace(ENDING, "").trim();
  return text === "" ? null : text.slice(0, 200);
}

/** What is to be noted: what follows a colon, or stands in quotes. */
function noted(rest: string): string | null {
  const text = /[:：]\s*([\s\S]+)$/u.exec(rest)?.[1] ?? QUOTED.exec(rest)?.[1];
  const clean = text?.trim() ?? "";
  return clean === "" ? null : clean;
}

const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(PATH)].map(([path]) => (path === "README" ? "README.md" : path));

function wishesAt(kind: WishKind, rest: string): readonly Wish[] {
  if (kind === "search" || kind === "recall") return [{ kind, path: null, text: wanted(rest) }];
  if (kind === "test") return [{ kind, path: null, text: null }];
  if (kind === "list") return [{ kind, path: FOLDER.exec(rest)?.[0] ?? null, text: null }];
  if (kind === "write") {
    const before = rest.split(/[:：]/u)[0] ?? "";
    return [{ kind, path: pathsIn(before)[0] ?? null, text: noted(rest) }];
  }
  const paths = pathsIn(rest);
  if (paths.length === 0) return ANY_FILE.test(rest) ? [{ kind, path: null, text: null }] : [];
  return paths.map((path) => ({ kind, path, text: null }));
}

/**
 * What a text asks for, step by step, in the order of the text; wishes of one step are for calls that are
 * made together (`read a.md and b.md`). Keywords in English and Chinese, no understanding. At most 8 steps.
 */
export function wishesIn(text: string): readonly (readonly Wish[])[] {
  const places = placesIn(text);
  const steps = places.map(({ kind, to }, at) => {
    // A note holds everything up to the end: words in it ask for nothing.
    const end = kind === "write" && noted(text.slice(to)) ? undefined : places[at + 1]?.from;
    return { wishes: wishesAt(kind, text.slice(to, end)), isLast: end === undefined };
  });
  const last = steps.findIndex(({ isLast }) => isLast);
  const asked = steps.slice(0, last + 1).map(({ wishes }) => wishes);
  return asked.filter((wishes) => wishes.length > 0).slice(0, 8);
}

/** True where a text has Chinese in it: it is then answered in Chinese. */
export function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}
