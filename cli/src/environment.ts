import { readFileSync } from "node:fs";
import { readText } from "./config-file.ts";

type Environment = Record<string, string | undefined>;

/** The files that Bun reads for any value of `NODE_ENV`. */
const ENV_FILES = ["", ".local", ".development", ".production", ".test"].flatMap((kind) => [
  `.env${kind}`,
  `.env${kind}.local`,
]);

/**
 * Removes what Bun itself reads from `.env` files in the current folder. A stranger's folder could
 * name another server and wallet. Node and the compiled binary read no such files.
 *
 * Returns the variables that the process started with. On systems that do not show them, returns
 * the environment without every variable that the files name.
 */
export function withoutEnvFiles(env: Environment): Environment {
  const isCompiled = import.meta.url.includes("$bunfs") || import.meta.url.includes("~BUN");
  if (!("Bun" in globalThis) || isCompiled) return env;
  const text = ENV_FILES.map(readText).join("\n");
  const named = Array.from(text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm), ([, name = ""]) => name);
  if (named.length === 0) return env;
  const started = startedWith();
  const own = Object.entries(env).filter(([name]) => !named.includes(name));
  return { ...Object.fromEntries(own), ...Object.fromEntries(started) };
}

/** Returns the variables that the process started with; empty except on Linux. */
function startedWith(): [string, string][] {
  try {
    const pairs = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
    return pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.replace(/^[^=]*=/, "")]);
  } catch {
    return [];
  }
}
