import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/processes.ts";

export interface Source {
  /** From the repository's root, for example `server/src/app.ts`. */
  readonly path: string;
  readonly text: string;
}

/** @returns what is built into the programs and the packages */
export function readSources(): Source[] {
  const files = new Bun.Glob("{server,sdk,cli,console,shared}/src/**/*.{ts,tsx}").scanSync({
    cwd: ROOT,
  });
  return [...files]
    .filter((path) => !/\.test\.tsx?$/.test(path) && !path.includes("/testing/"))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}
