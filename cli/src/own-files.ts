import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError, systemCode } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const KEYS = ["api-url", "keypair", "rpc-url", "payout"] as const;
export type Key = (typeof KEYS)[number];
export type Stored = { readonly [Name in Key]?: string };

/** Returns the folder of everything that tokenctl stores, except keypairs. */
function configFolder(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(homeOf(env), ".config"), "tokenctl");
}

export const configPath = (env: Environment) => join(configFolder(env), "config.json");

export function readConfigFile(env: Environment): Stored {
  const path = configPath(env);
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isConfig(value)) return value;
    throw new Error("it has another form than `tokenctl config` writes");
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    const why = (cause as Error).message;
    throw new CliError("config_invalid", `The configuration ${path} cannot be read: ${why}`, {
      hint: "Repair it, or remove it and set it up again with `tokenctl config set`",
      cause,
    });
  }
}

export const readText = (path: string) => readOr("", () => readFileSync(path, "utf8"));

/** Returns `/` for a user without a home folder, as containers do. */
export const homeOf = (env: Environment) => env.HOME || readOr("/", homedir);

function readOr(missing: string, read: () => string): string {
  try {
    return read();
  } catch {
    return missing;
  }
}

export function writeConfigFile(env: Environment, config: Stored): void {
  writeOwn(configPath(env), `${JSON.stringify(config, null, 2)}\n`, "XDG_CONFIG_HOME");
}

/** Writes a private file, in the folder of `variable`: an RPC's URL can contain a key. @throws {CliError} */
export function writeOwn(path: string, text: string, variable: string): void {
  try {
    writePrivate(path, text, true);
  } catch (cause) {
    throw new CliError("file_unwritable", `Cannot write ${path} (${systemCode(cause)})`, {
      hint: `Check the folder's permissions, or name another with ${variable}`,
      cause,
    });
  }
}

function isConfig(value: unknown): value is Stored {
  if (typeof value !== "object" || value === null) return false;
  const isSetting = ([key, setting]: [string, unknown]) =>
    (KEYS as readonly string[]).includes(key) && typeof setting === "string";
  return Object.entries(value).every(isSetting);
}

/** Writes a private file and its folder; a replacement is atomic. @throws a system error */
export function writePrivate(path: string, text: string, replaces: boolean): void {
  const draft = replaces ? `${path}.${crypto.randomUUID()}.tmp` : path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(draft, "wx", 0o600);
  try {
    // The umask applies to the mode of `open`, and can remove even the owner's bits.
    chmodSync(draft, 0o600);
    writeFileSync(file, text);
    fsyncSync(file);
    if (replaces) renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
