import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { benchFolder, repository } from "./paths.ts";
import { wrkVersion } from "./wrk.ts";

/** @returns the machine without its name */
export function machine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const model = cpus()[0]?.model.trim() ?? "unknown";
  const system = `${process.platform} ${release().split("-")[0]}`;
  return `${availableParallelism()} cores (${model}), ${memory} GiB, ${system}`;
}

/** @returns the versions of the contestants and of the tools */
export function versions(): string {
  const node = Bun.which("node") ? Bun.spawnSync(["node", "--version"]).stdout.toString() : "none";
  const { dependencies, optionalDependencies } = readPackage(join(benchFolder, "package.json"));
  const service = readPackage(join(repository, "server", "package.json")).dependencies;
  const peers = { elysia: service.elysia, ...dependencies, ...optionalDependencies };
  return [
    `Bun ${Bun.version}`,
    `Node ${node.trim().replace(/^v/, "")}`,
    `wrk ${wrkVersion()}`,
    ...Object.entries(peers).map(([name, version]) => `${name} ${version}`),
  ].join(", ");
}

function readPackage(path: string): {
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
} {
  return JSON.parse(readFileSync(path, "utf8"));
}
