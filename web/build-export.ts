/** Writes web/dist/export.html: the page that exports are made from. Runs after the page was built. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { exportTemplate } from "./export-template.ts";

const FOLDER = path.join(import.meta.dirname, "dist");

/** Builds the page of exports into web/dist. */
export async function buildExport(): Promise<void> {
  const template = await exportTemplate();
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, "export.html"), template);
}

if (import.meta.main) await buildExport();
