import { RandomStream } from "./random-stream.ts";

/** Long texts of each kind that generated messages are cut from. */
export interface TextPools {
  readonly english: string;
  readonly chinese: string;
  /** What tools print: source lines, paths, logs. ASCII. */
  readonly code: string;
  /** Base64 of random bytes. */
  readonly base64: string;
}

const POOL_CHARACTERS = 1_500_000;
const STEMS =
  "com part ser tor ren val lin dex bor tal mer sil nor pa vor kin dra fel gos hum".split(" ");
const ENDINGS = ["", "er", "ing", "ed", "ion", "able", "ment", "s"];
const COMMON = "the of to and a in is for with that on this be it as are by from not or when".split(
  " ",
);
const CHINESE =
  "会话 分支 上下文 压缩 索引 文件 写入 读取 测试 修改 检查 结果 模型 工具 历史 恢复 我们 需要 可以 现在 因为 所以 如果 但是 已经 继续 设计 方案 缓存 错误 日志 路径 标签 列表 搜索 性能 内存 磁盘 进程 并发 一致 的 了 在 是 和 把 对".split(
    " ",
  );

function word(random: RandomStream): string {
  // Few words make most of a text, as in any language.
  if (random.chance(0.35)) return random.pick(COMMON);
  const rank = Math.floor(STEMS.length * random.fraction() ** 2);
  const tail = random.chance(0.5) ? random.pick(STEMS) : "";
  return (STEMS[rank] as string) + tail + random.pick(ENDINGS);
}

function fill(random: RandomStream, piece: (random: RandomStream) => string): string {
  const pieces: string[] = [];
  for (let length = 0; length < POOL_CHARACTERS; ) {
    const next = piece(random);
    pieces.push(next);
    length += next.length;
  }
  // Through bytes, so that slices share one flat string.
  return Buffer.from(pieces.join(""), "utf8").toString("utf8");
}

function sentence(random: RandomStream): string {
  const words = Array.from({ length: random.whole(4, 22) }, () => word(random)).join(" ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}${random.chance(0.12) ? ".\n\n" : ". "}`;
}

function chineseSentence(random: RandomStream): string {
  const words = Array.from({ length: random.whole(5, 24) }, () => random.pick(CHINESE));
  const comma = random.chance(0.5) ? "，" : "";
  const name = random.chance(0.15) ? ` \`${word(random)}\` ` : "";
  return `${words.slice(0, 4).join("")}${comma}${words.slice(4).join("")}${name}。`;
}

function codeLine(random: RandomStream): string {
  const [a, b, c] = [word(random), word(random), word(random)];
  const number = random.whole(1, 9999);
  const indent = "  ".repeat(random.whole(0, 4));
  return random.pick([
    `${indent}const ${a} = await ${b}.${c}("${a}/${b}", { limit: ${number} });\n`,
    `${indent}if (${a} === undefined) return ${b}(${c}, ${number});\n`,
    `src/${a}/${b}.ts:${number}:  export function ${c}(${a}: string): number {\n`,
    `2026-01-05T08:${random.whole(10, 59)}:00Z INFO ${a} ${b} took ${number} ms\n`,
    `${indent}}\n`,
  ]);
}

function base64Of(random: RandomStream): string {
  const words = Uint32Array.from({ length: 200_000 }, () => random.word());
  return Buffer.from(words.buffer).toString("base64");
}

let made: TextPools | undefined;

/** The pools; the same in every process. Made once, in about 0.3 s. */
export function textPools(): TextPools {
  const random = new RandomStream(20_260_105);
  made ??= {
    english: fill(random, sentence),
    chinese: fill(random, chineseSentence),
    code: fill(random, codeLine),
    base64: base64Of(random),
  };
  return made;
}
