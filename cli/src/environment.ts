import { readFileSync } from "node:fs";
import { readText } from "./config-file.ts";

type Environment = Record<string, string | undefined>;

/** As Bun reads them, for any value of `NODE_ENV`. */
const ENV_FILES = ["", ".local", ".development", ".production", ".test"].flatMap((kind) => [
  `.env${kind}`,
  `.env${kind}.local`,
]);

/**
 * Bun itself reads the `.env` files of the folder in which it starts, which may be a stranger's: they could name
 * another server and wallet. Node and the compiled program read none.
 *
 * @returns the variables that the process was started with, or without those that the files name where that is not known
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

/** On Linux. */
function startedWith(): [string, string][] {
  try {
    const pairs = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
    return pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.replace(/^[^=]*=/, "")]);
  } catch {
    return [];
  }
}
