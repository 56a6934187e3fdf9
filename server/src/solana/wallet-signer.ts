import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import type { Keypair, PublicKey } from "@solana/web3.js";
import { decodeSecretKey, SecretKeyFormatError } from "@tokenctl/shared/secret-key";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { exposure } from "../base/files.ts";
import { keypairFromSeed, signMessage } from "../base/native-keys.ts";
import { signWithKeys, withSignatures } from "./message.ts";

/** What a signature is for, so that a signer can apply its own rules. */
export const SIGNING_PURPOSES = ["launch", "claim", "config", "collect", "migrate"] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];

/** A wallet that signs messages. Its key may be in another process. */
export interface WalletSigner {
  readonly publicKey: PublicKey;
  /** Returns the Ed25519 signature of a message. @throws {SignerError} */
  sign(message: Uint8Array, purpose: SigningPurpose): Promise<Uint8Array>;
  /** Returns why the wallet cannot sign; null if it can. */
  check(): Promise<string | null>;
  /** Returns why the wallet signs nothing for this purpose; null if it does. */
  refuses(purpose: SigningPurpose): Promise<string | null>;
}

/** The launch wallet's signer did not sign. `message` is for operators. */
export class SignerError extends Error {
  override readonly name = "SignerError";
  readonly code = "launch_signer";
}

/** The signer works, but one of its rules forbids this message or purpose. */
export class SignerRefusal extends SignerError {}

export function keypairSigner({ publicKey, secretKey }: Keypair): WalletSigner {
  return {
    publicKey,
    sign: async (message) => signMessage(message, secretKey),
    check: async () => null,
    refuses: async () => null,
  };
}

/** Adds the signatures of the wallet and of keys in this process. @throws {SignerError} */
export async function signWith(
  wallet: WalletSigner,
  transaction: Uint8Array,
  { purpose, others = [] }: { purpose: SigningPurpose; others?: readonly Keypair[] },
): Promise<Uint8Array> {
  const { message } = splitTransaction(transaction);
  const signature = await wallet.sign(message, purpose);
  const signed = withSignatures(transaction, [{ key: wallet.publicKey, signature }]);
  return signWithKeys(signed, others);
}

/** A keypair file that cannot be used. The message names the file, never its content. */
export class KeypairFileError extends Error {
  readonly code = "keypair_file";

  constructor(path: string, problem: string) {
    super(`Keypair file ${path} ${problem}`);
    this.name = "KeypairFileError";
  }
}

/** 64 bytes take at most 88 characters in base58 and about 260 as a JSON array. */
const MAX_BYTES = 4096;

/**
 * Reads a JSON array of 64 bytes, or base58. Follows links, which secret managers create.
 * @throws {KeypairFileError} it holds no keypair, or another user owns it or can open it
 */
export function readKeypairFile(path: string): Keypair {
  const bytes = read(path);
  const keypair = keypairFromSeed(bytes.subarray(0, 32));
  if (!Buffer.from(bytes).equals(keypair.secretKey)) {
    throw new KeypairFileError(path, "holds a public key that is not its secret key's");
  }
  return keypair;
}

/** Returns why others can open a keypair file, as the rest of a sentence; null if they cannot. */
export function keypairExposure(
  path: string,
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  user?: number,
): string | null {
  // systemd's LoadCredential admits the service's user through an access list, whose mask appears
  // as the group's permissions. The group is root's, which has no other members.
  const isRoots = uid === 0 && gid === 0 && (mode & 0o037) === 0;
  return isRoots ? null : exposure(path, { mode, uid }, user);
}

function read(path: string): Uint8Array {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    if (!status.isFile()) throw new KeypairFileError(path, "is not a regular file");
    const problem = keypairExposure(path, status);
    if (problem !== null) throw new KeypairFileError(path, problem);
    if (status.size > MAX_BYTES) throw new KeypairFileError(path, "is too large");
    return decodeSecretKey(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof KeypairFileError) throw error;
    if (error instanceof SecretKeyFormatError) throw new KeypairFileError(path, error.message);
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new KeypairFileError(path, `cannot be read (${code})`);
  } finally {
    if (file !== null) closeSync(file);
  }
}
