import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

async function documents(): Promise<readonly string[]> {
  const docs = (await readdir(join(ROOT, "docs"), { recursive: true })).map(
    (name) => `docs/${name}`,
  );
  return ["README.md", "README.zh-CN.md", ...docs].filter((name) => name.endsWith(".md"));
}

/** TypeScript blocks of a document that import the package: complete programs. */
function programs(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    .map((match) => match[1] ?? "")
    .filter((code) => code.includes('from "branchline'));
}

for (const document of await documents()) {
  const found = programs(await readFile(join(ROOT, document), "utf8"));
  for (const [index, code] of found.entries()) {
    test(`the program ${index + 1} of ${document} runs`, async () => {
      // Inside the package, so that it resolves itself by name; ignored by git.
      const folder = await mkdtemp(join(import.meta.dirname, ".example-"));
      const home = await mkdtemp(join(tmpdir(), "branchline-example-"));
      try {
        const file = join(folder, "example.ts");
        await writeFile(file, code);
        const env = { ...process.env, BRANCHLINE_HOME: home };
        const args = ["--conditions=source", file];
        const { stderr } = await run(process.execPath, args, { env, cwd: home });
        assert.equal(stderr, "");
      } finally {
        await rm(folder, { recursive: true, force: true });
        await rm(home, { recursive: true, force: true });
      }
    });
  }
}

test("at least one document shows a program", async () => {
  const all = await Promise.all(
    (await documents()).map((name) => readFile(join(ROOT, name), "utf8")),
  );
  assert.ok(all.flatMap(programs).length > 0);
});
