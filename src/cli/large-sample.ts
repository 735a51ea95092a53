import type { GeneratedSession } from "../server/generated-sessions.ts";

/** What is generated: small messages in English and Chinese, many branches, two compactions; about 5 MB. */
const OPTIONS = { seed: 20_261_128, entries: 10_000, profile: "chat" } as const;

/** The sample that is too large to be shipped: made on this machine when it is opened first. */
export const LARGE_SAMPLE: GeneratedSession = {
  id: "be394dd4-e05d-77ef-8863-74174053518c",
  title: "10,000 entries, generated when opened · 一万条记录，打开时生成",
  cwd: "/home/dev/project",
  created: "2026-02-21T08:00:00.000Z",
  entries: 10_000,
  async make(file, onProgress) {
    const { writeSession } = await import("../bench/write-session.ts");
    const name = "10,000 entries, generated · 一万条记录（生成）";
    await writeSession({ file, options: OPTIONS, name }, onProgress);
  },
};
