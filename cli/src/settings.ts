import { isAbsolute, join, resolve } from "node:path";
import { type Environment, homeOf, type Key, readConfigFile, readText } from "./own-files.ts";

export interface GlobalOptions {
  apiUrl?: string;
  /** Only for commands that ask a node. */
  rpcUrl?: string;
  keypair?: string;
  json?: boolean;
  quiet?: boolean;
}

export interface Settings {
  /** The server's address, not checked yet; undefined for the SDK's default. */
  readonly apiUrl: string | undefined;
  /** The Solana node that verifies what the wallet signs and is paid, if any. */
  readonly rpcUrl: string | undefined;
  /** Who gets claimed fees instead of the wallet, in the form of `config set payout`. */
  readonly payout: string | undefined;
  readonly keypairPath: string;
  /** Absolute path of the folder for the state of launches and of `mcp`. */
  readonly stateDir: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

interface FoundSetting {
  readonly value: string | null;
  readonly from: "flag" | "environment" | "config" | "solana cli" | "default";
}

/**
 * Looks in this order: command line, environment, configuration, Solana CLI, default. An empty
 * variable counts as not set, because `TOKENCTL_API_URL= tokenctl …` is how a shell unsets one.
 */
export function findSettings(
  { apiUrl, keypair, rpcUrl }: GlobalOptions,
  env: Environment,
): Readonly<Record<Key, FoundSetting>> {
  const stored = readConfigFile(env);
  const find = (key: Key, byDefault: string | null, flag?: string, variable?: string) => {
    if (flag !== undefined) return { value: flag, from: "flag" } as const;
    if (variable) return { value: variable, from: "environment" } as const;
    const value = stored[key];
    if (value !== undefined) return { value, from: "config" } as const;
    return { value: byDefault, from: "default" } as const;
  };
  const keypairFound = find("keypair", null, keypair, env.TOKENCTL_KEYPAIR);
  return {
    "api-url": find("api-url", "http://127.0.0.1:8787", apiUrl, env.TOKENCTL_API_URL),
    keypair: keypairFound.value === null ? solanaKeypair(env) : keypairFound,
    "rpc-url": find("rpc-url", null, rpcUrl, env.TOKENCTL_RPC_URL),
    payout: find("payout", null),
  };
}

/** Returns the keypair of the Solana CLI's configuration, or its default. */
function solanaKeypair(env: Environment): FoundSetting {
  const folder = join(homeOf(env), ".config/solana");
  const value = readText(join(folder, "cli/config.yml"))
    .match(/^keypair_path:[ \t]*(.+?)[ \t]*$/m)?.[1]
    ?.replace(/^(["'])(.*)\1$/, "$2");
  if (value) return { value, from: "solana cli" };
  return { value: join(folder, "id.json"), from: "default" };
}

export function readSettings(options: GlobalOptions, env: Environment): Settings {
  const found = findSettings(options, env);
  const { value: apiUrl, from } = found["api-url"];
  // By the XDG Base Directory Specification, a relative path counts as not set.
  const state = env.XDG_STATE_HOME ?? "";
  return {
    apiUrl: from === "default" ? undefined : (apiUrl ?? undefined),
    rpcUrl: found["rpc-url"].value ?? undefined,
    payout: found.payout.value ?? undefined,
    keypairPath: toPath(found.keypair.value ?? ""),
    stateDir: join(isAbsolute(state) ? state : join(homeOf(env), ".local/state"), "tokenctl"),
    json: options.json === true,
    quiet: options.quiet === true,
  };
}

/** Returns an absolute path, or a URL as it is. Shells leave the `~/` in `--keypair=~/…`. */
export function toPath(path: string): string {
  if (/^[a-z]+:\/\//i.test(path)) return path;
  return path.startsWith("~/") ? join(homeOf(process.env), path.slice(2)) : resolve(path);
}
