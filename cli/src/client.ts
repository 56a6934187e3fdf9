import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import {
  formatSecretKey,
  InvalidArgumentError,
  keypairSigner,
  type Signer,
  TokenctlClient,
} from "@tokenctl/sdk";
import nacl from "tweetnacl";
import type { Desk } from "./desk.ts";
import { CliError, systemCode } from "./errors.ts";
import { writePrivate } from "./own-files.ts";
import { proxiedFetch } from "./proxy.ts";

type Ends = Pick<Desk, "env" | "settings" | "notices">;

/** @param signer the wallet, for calls that sign in. @throws {InvalidArgumentError} for a wrong URL */
export function connect({ env, settings, notices }: Ends, signer?: Signer): TokenctlClient {
  const { apiUrl, rpcUrl } = settings;
  const client = new TokenctlClient({
    ...{ apiUrl, rpcUrl, signer, fetch: proxiedFetch(env) },
    onRetry: ({ error, delayMs }) =>
      notices.notice(`${error.message}; retrying in ${(delayMs / 1000).toFixed(1)} s`),
  });
  // Every command shows which server it waits for.
  notices.notice(`Contacting ${client.apiUrl}`);
  return client;
}

export async function connectWallet(ends: Ends): Promise<TokenctlClient> {
  return connect(ends, await readSigner(ends));
}

const ELSEWHERE = "with --keypair or TOKENCTL_KEYPAIR";

/** More than any keypair file has: a device such as `/dev/zero` has no end. */
const MOST_BYTES = 65_536;

/** Reads the keypair file, and warns if other users can. @throws {CliError} `keypair_…` */
export async function readSigner({ settings, notices }: Omit<Ends, "env">): Promise<Signer> {
  const { keypairPath: path } = settings;
  if (path.includes("://")) {
    const hint = `Give a keypair file ${ELSEWHERE}; a hardware wallet signs on the server's page`;
    const message = `${path} is not a file: tokenctl signs only with keypair files`;
    throw new CliError("keypair_invalid", message, { hint });
  }
  const source = createReadStream(path, { end: MOST_BYTES });
  const [text, { mode }] = await Promise.all([readText(source), stat(path)]).catch(
    (cause: unknown) => {
      throw unreadable(path, cause);
    },
  );
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8);
    notices.warn(`Others can read the keypair ${path} (mode ${octal}). Run \`chmod 600 ${path}\``);
  }
  try {
    return keypairSigner(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError("keypair_invalid", `${path}: ${error.message}`, {
      hint: "Give a file made by `tokenctl keygen` or `solana-keygen new`, or one with a base58 secret key",
    });
  }
}

function unreadable(path: string, cause: unknown): CliError {
  if (["ENOENT", "ENOTDIR"].includes(systemCode(cause))) {
    const hint = `Run \`tokenctl keygen -o ${path}\` to make it, or give yours ${ELSEWHERE}`;
    return new CliError("keypair_missing", `There is no keypair file ${path}`, { hint, cause });
  }
  const message = `Cannot read the keypair file ${path} (${systemCode(cause)})`;
  const hint = `Check its permissions, or give another ${ELSEWHERE}`;
  return new CliError("keypair_unreadable", message, { hint, cause });
}

/**
 * Writes a new wallet, which only its owner can read. @param force replaces a file
 * @returns its address
 * @throws {CliError} `keypair_exists`, `keypair_unwritable`
 */
export function writeNewKeypair(path: string, force: boolean): string {
  const key = formatSecretKey(nacl.sign.keyPair().secretKey);
  // Derives the address by another library, before a wallet that cannot sign is written.
  const { publicKey } = keypairSigner(key);
  try {
    writePrivate(path, `${key}\n`, force);
    return publicKey;
  } catch (cause) {
    const isThere =
      !force && systemCode(cause) === "EEXIST" && (cause as { path?: string }).path === path;
    const [code, message, more] = isThere
      ? ["keypair_exists", `The file ${path} already exists`, REPLACE]
      : ["keypair_unwritable", `Cannot write ${path} (${systemCode(cause)})`, ""];
    throw new CliError(code, message, { hint: `Write elsewhere with --outfile${more}`, cause });
  }
}

const REPLACE = ", or replace it with --force, which loses its wallet";
