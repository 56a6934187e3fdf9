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
};

/** Programs by runtime, each in a folder of its own below `folder`. */
export type Runtimes = (name: keyof typeof pinned) => string;

/** Installs every runtime from the registry. */
export async function installRuntimes(folder: string): Promise<Runtimes> {
  const packages = Object.entries(pinned).map(([name, source]) => `${name}@${source}`);
  await npmInstall(folder, packages);
  return (name) => {
    const installed = join(folder, "node_modules", name);
    return name.startsWith("node-")
      ? join(installed, "bin/node")
      : join(folder, "node_modules/.bin", name);
  };
}
