import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError, systemCode } from "./errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that a profile may have, as `config set` names them. */
export const PROFILE_KEYS = ["api-url", "keypair", "rpc-url", "payout"] as const;
export type ProfileKey = (typeof PROFILE_KEYS)[number];
export type ProfileSettings = { readonly [Key in ProfileKey]?: string };

export interface ConfigFile {
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
}

/** @returns the folder of all that tokenctl keeps, except keypairs */
export function configFolder(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "tokenctl");
}

export const configPath = (env: Environment) => join(configFolder(env), "config.json");

export function readConfigFile(env: Environment): ConfigFile {
  const path = configPath(env);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return { profiles: {} };
    throw invalid(path, `cannot be read (${code})`, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(path, "is not JSON", cause);
  }
  if (!isConfig(value)) throw invalid(path, "does not have the form that `tokenctl config` writes");
  return { ...value, profiles: value.profiles };
}

/** Replaces the whole file, atomically. @throws {CliError} `config_unwritable` */
export function writeConfigFile(env: Environment, config: ConfigFile): void {
  const path = configPath(env);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // An RPC's address can contain a key.
    writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (cause) {
    try {
      rmSync(draft, { force: true });
    } catch {
      // What prevented writing it also prevents it from existing.
    }
    const code = systemCode(cause);
    throw new CliError("config_unwritable", `Cannot write ${path} (${code})`, {
      hint: "Check the folder's permissions, or name another with XDG_CONFIG_HOME",
      cause,
    });
  }
}

function isConfig(value: unknown): value is ConfigFile {
  if (!isObject(value) || !isObject(value.profiles)) return false;
  if (value.profile !== undefined && typeof value.profile !== "string") return false;
  return Object.values(value.profiles).every(
    (profile) =>
      isObject(profile) &&
      Object.entries(profile).every(
        ([key, setting]) =>
          (PROFILE_KEYS as readonly string[]).includes(key) && typeof setting === "string",
      ),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(path: string, why: string, cause?: unknown): CliError {
  return new CliError("config_invalid", `The configuration ${path} ${why}`, {
    hint: "Repair it, or remove it and set it up again with `tokenctl config set`",
    cause,
  });
}
