import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type ProfileKey, type ProfileSettings, readConfigFile } from "./config-file.ts";
import { UsageError } from "./errors.ts";

/** The options of every command, as commander reads them. */
export interface GlobalOptions {
  apiUrl?: string;
  /** Only for `claim`. */
  rpcUrl?: string;
  keypair?: string;
  profile?: string;
  allowNonceWithoutHost?: boolean;
  json?: boolean;
  quiet?: boolean;
  /** Whether the profile need not exist: for commands that set up profiles. */
  isNewProfile?: boolean;
}

export interface Settings {
  /** The server's address, not checked yet; undefined for the SDK's default. */
  readonly apiUrl: string | undefined;
  /** The Solana node that verifies claims, if any. */
  readonly rpcUrl: string | undefined;
  /** Who gets claimed fees instead of the wallet, as `config set payout` stores it. */
  readonly payout: string | undefined;
  readonly allowNonceWithoutHost: boolean;
  readonly keypairPath: string;
  /** Absolute path of the folder of `mcp`: its audit log and the day's launches. */
  readonly stateDir: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface FoundSetting {
  readonly value: string | null;
  readonly from: "flag" | "environment" | "profile" | "default";
  readonly profile?: string;
}

const DEFAULTS: Readonly<Record<ProfileKey, string | null>> = {
  "api-url": "http://127.0.0.1:8787",
  keypair: "~/.config/solana/id.json",
  "rpc-url": null,
  payout: null,
};

/**
 * Command line, environment, profile, default, in this order. @throws {CliError} for the profile
 */
export function findSettings(
  { profile: named, apiUrl, keypair, rpcUrl }: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<ProfileKey, FoundSetting>> {
  // An empty variable counts as not set: `TOKENCTL_API_URL= tokenctl …` is how a shell unsets one.
  const { name, settings } = readProfile(named ?? (env.TOKENCTL_PROFILE || undefined), env);
  const find = (key: ProfileKey, flag?: string, variable?: string): FoundSetting => {
    if (flag !== undefined) return { value: flag, from: "flag" };
    if (variable) return { value: variable, from: "environment" };
    const own = settings[key];
    if (own !== undefined) return { value: own, from: "profile", profile: name };
    return { value: DEFAULTS[key], from: "default" };
  };
  return {
    "api-url": find("api-url", apiUrl, env.TOKENCTL_API_URL),
    keypair: find("keypair", keypair, env.TOKENCTL_KEYPAIR),
    "rpc-url": find("rpc-url", rpcUrl, env.TOKENCTL_RPC_URL),
    payout: find("payout"),
  };
}

export function readSettings(
  options: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const found = findSettings(options.isNewProfile ? { ...options, profile: "" } : options, env);
  const { value: apiUrl, from } = found["api-url"];
  return {
    apiUrl: from === "default" ? undefined : (apiUrl ?? undefined),
    rpcUrl: found["rpc-url"].value ?? undefined,
    payout: found.payout.value ?? undefined,
    allowNonceWithoutHost: options.allowNonceWithoutHost === true,
    keypairPath: toPath(found.keypair.value ?? ""),
    stateDir: join(stateHome(env.XDG_STATE_HOME), "tokenctl"),
    json: options.json === true,
    quiet: options.quiet === true,
  };
}

/** By the XDG Base Directory Specification, a relative path counts as not set. */
function stateHome(path: string | undefined): string {
  return path !== undefined && isAbsolute(path) ? path : join(homedir(), ".local/state");
}

/** @param name of the profile; undefined for the one that the configuration uses, if any */
function readProfile(
  name: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { name: string; settings: ProfileSettings } {
  const { profile, profiles } = readConfigFile(env);
  const chosen = name ?? profile;
  // Commands that set up profiles need none, and pass an empty name.
  if (chosen === undefined || chosen === "") return { name: "", settings: {} };
  if (Object.hasOwn(profiles, chosen)) return { name: chosen, settings: profiles[chosen] ?? {} };
  throw new UsageError(
    `There is no profile ${chosen}`,
    `\`tokenctl config set api-url <url> --profile ${chosen}\` makes it; \`tokenctl config list\` lists all`,
  );
}

/** @returns an absolute path; a shell does not expand the tilde of `--keypair=~/id.json` */
export function toPath(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
