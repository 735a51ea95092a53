/** The models of Pi (`@earendil-works/pi-ai`, loaded on demand); see docs/models.md. */
export { fromPiModels, type LoadPiAiOptions, loadPiAi, type PiAiOptions } from "./pi-ai.ts";
