import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The options that every command takes, as commander read them. */
export interface GlobalOptions {
  apiUrl?: string;
  /** Of `claim` alone. */
  rpcUrl?: string;
  keypair?: string;
  allowNonceWithoutHost?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** Where the server is and whose wallet it is. */
export interface Settings {
  /** The server's address as it was given; undefined means the SDK's default. */
  readonly apiUrl: string | undefined;
  /** A Solana node by which claims are verified; undefined means that they are not. */
  readonly rpcUrl: string | undefined;
  /** Whether to sign in at a server whose nonces do not say which server they are of. */
  readonly allowNonceWithoutHost: boolean;
  /** Absolute path of the keypair file. */
  readonly keypairPath: string;
  /** Whether stdout and stderr carry JSON. */
  readonly json: boolean;
  /** Whether notices, warnings and spinners are left out. */
  readonly quiet: boolean;
}

/** Decides each setting: the command line, then the environment, then the default. */
export function readSettings(
  options: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  // An empty variable counts as none: `TOKENCTL_API_URL= tokenctl …` is how shells unset one.
  const keypair = options.keypair ?? (env.TOKENCTL_KEYPAIR || undefined);
  return {
    apiUrl: options.apiUrl ?? (env.TOKENCTL_API_URL || undefined),
    rpcUrl: options.rpcUrl ?? (env.TOKENCTL_RPC_URL || undefined),
    allowNonceWithoutHost: options.allowNonceWithoutHost === true,
    keypairPath: toPath(keypair ?? "~/.config/solana/id.json"),
    json: options.json === true,
    quiet: options.quiet === true,
  };
}

/** @returns an absolute path; shells leave the tilde of `--keypair=~/id.json` as it is */
export function toPath(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}
