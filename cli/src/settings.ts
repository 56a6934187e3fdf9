import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** The options that every command takes, as commander read them. */
export interface GlobalOptions {
  apiUrl?: string;
  /** Only for `claim`. */
  rpcUrl?: string;
  keypair?: string;
  allowNonceWithoutHost?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** The settings of one run. */
export interface Settings {
  /** The server's address, not checked yet; undefined means the SDK's default. */
  readonly apiUrl: string | undefined;
  /** The Solana node that verifies claims; undefined means that none does. */
  readonly rpcUrl: string | undefined;
  /** Whether to sign nonces that name no server. */
  readonly allowNonceWithoutHost: boolean;
  /** Absolute path of the keypair file. */
  readonly keypairPath: string;
  /** Absolute path of the folder for what `mcp` keeps: its audit log and the day's launches. */
  readonly stateDir: string;
  /** Whether stdout and stderr carry JSON. */
  readonly json: boolean;
  /** Whether to print no notices, warnings or spinners. */
  readonly quiet: boolean;
}

/** Takes each setting from the command line, then the environment, then the default. */
export function readSettings(
  options: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  // An empty variable counts as not set: `TOKENCTL_API_URL= tokenctl …` is how a shell unsets one.
  const keypair = options.keypair ?? (env.TOKENCTL_KEYPAIR || undefined);
  return {
    apiUrl: options.apiUrl ?? (env.TOKENCTL_API_URL || undefined),
    rpcUrl: options.rpcUrl ?? (env.TOKENCTL_RPC_URL || undefined),
    allowNonceWithoutHost: options.allowNonceWithoutHost === true,
    keypairPath: toPath(keypair ?? "~/.config/solana/id.json"),
    stateDir: join(stateHome(env.XDG_STATE_HOME), "tokenctl"),
    json: options.json === true,
    quiet: options.quiet === true,
  };
}

/** By the XDG Base Directory Specification a path that is not absolute counts as not set. */
function stateHome(path: string | undefined): string {
  return path !== undefined && isAbsolute(path) ? path : join(homedir(), ".local/state");
}

/** @returns an absolute path; a shell does not expand the tilde of `--keypair=~/id.json` */
export function toPath(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
