import path from "node:path";

/** The folder of the package, whether it runs from its sources or built: an entry point of its own in the build. */
export const PACKAGE_FOLDER: string = path.resolve(import.meta.dirname, "../..");
