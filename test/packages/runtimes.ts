import { join } from "node:path";
import { npmInstall } from "../support/packages.ts";

/**
 * Whether the tests run on every runtime that the packages promise, which downloads some 200 MB, or
 * on those of this machine alone. `bun run check:packages` sets it.
 */
export const isWholeMatrix = process.env.PACKAGES === "all";

const npmName = `node-${process.platform}-${process.arch}`;
const pinned: Readonly<Record<string, string>> = {
  "node-20-19": `npm:${npmName}@20.19.0`,
  "node-22": `npm:${npmName}@22.23.3`,
  "node-24": `npm:${npmName}@24.21.0`,
  deno: "npm:deno@2.9.6",
  workerd: "npm:workerd@1.20261117.1",
  jest: "npm:jest@30.5.2",
  vitest: "npm:vitest@4.1.12",
  "typescript-5-0": "npm:typescript@5.0.4",
  "typescript-5-4": "npm:typescript@5.4.5",
  "typescript-5-6": "npm:typescript@5.6.3",
  "typescript-5-7": "npm:typescript@5.7.3",
  "typescript-5-9": "npm:typescript@5.9.3",
  "typescript-6": "npm:typescript@6.0.3",
};

/** Programs by runtime, each in a folder of its own below `folder`. */
export type Runtimes = (name: keyof typeof pinned) => string;

export async function installRuntimes(folder: string): Promise<Runtimes> {
  const packages = Object.entries(pinned).map(([name, source]) => `${name}@${source}`);
  await npmInstall(folder, packages);
  return (name) => {
    const installed = join(folder, "node_modules", name);
    if (name.startsWith("node-")) return join(installed, "bin/node");
    if (name.startsWith("typescript-")) return join(installed, "bin/tsc");
    return join(folder, "node_modules/.bin", name);
  };
}
