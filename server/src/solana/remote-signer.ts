import { PublicKey } from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import { verifyEd25519 } from "../base/ed25519.ts";
import { SharedRead } from "../base/shared-read.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import type { BlockPace } from "./block-pace.ts";
import {
  SignerError,
  SignerRefusal,
  type SigningPurpose,
  type WalletSigner,
} from "./wallet-signer.ts";

/** What a signer outside this process is asked: one JSON object, answered by one. */
export type SignerRequest =
  | { readonly method: "publicKey" }
  | {
      readonly method: "allows";
      readonly publicKey: string;
      readonly purpose: SigningPurpose;
    }
  | {
      readonly method: "sign";
      readonly publicKey: string;
      /** The serialized message of the transaction, in base64. */
      readonly message: string;
      readonly purpose: SigningPurpose;
    };

/** Carries a request to the signer and its answer back. @throws {SignerError} it did not answer */
export type AskSigner = (request: SignerRequest) => Promise<string>;

const SIGNER_TIMEOUT_MS = 10_000;

/** @returns milliseconds that a signer has for an answer: a third of a blockhash's life at most */
export function signerTimeoutMs(pace: Pick<BlockPace, "msPerBlock"> | null): number {
  if (pace === null) return SIGNER_TIMEOUT_MS;
  return Math.min(SIGNER_TIMEOUT_MS, Math.round((BLOCKHASH_VALID_BLOCKS * pace.msPerBlock) / 3));
}

export const MAX_ANSWER_BYTES = 4_096;

/** How long an answer to "can you sign" is reused, in milliseconds: while it can, and while not. */
const ABLE_FOR_MS = 30_000;
const UNABLE_FOR_MS = 5_000;

/**
 * Opens a wallet whose key a signer outside this process holds, and verifies each signature.
 * @throws {SignerError} it does not say its public key
 */
export async function remoteSigner(ask: AskSigner, clock: Clock): Promise<WalletSigner> {
  const publicKey = await askPublicKey(ask);
  const change = async () => {
    const answered = await askPublicKey(ask);
    if (answered.equals(publicKey)) return null;
    return `the launch signer now holds ${answered}, not ${publicKey}: restart the server`;
  };
  const state = new SharedRead(
    () => problemOf(change),
    (problem) => (problem === null ? ABLE_FOR_MS : UNABLE_FOR_MS),
    clock,
  );
  return {
    publicKey,
    check: () => state.get(),
    refuses: (purpose) =>
      problemOf(async () => {
        const publicKeyText = publicKey.toBase58();
        await askFor(ask, "allowed", { method: "allows", publicKey: publicKeyText, purpose });
        return null;
      }),
    async sign(message, purpose) {
      const answer = await askFor(ask, "signature", {
        method: "sign",
        publicKey: publicKey.toBase58(),
        message: Buffer.from(message).toString("base64"),
        purpose,
      }).catch((error) => {
        if (!(error instanceof SignerRefusal)) state.forget();
        throw error;
      });
      const signature = Buffer.from(answer, "base64");
      if (!verifyEd25519(message, signature, publicKey.toBytes())) {
        throw new SignerError(`the launch signer's signature is not one of ${publicKey}`);
      }
      return signature;
    },
  };
}

async function askPublicKey(ask: AskSigner): Promise<PublicKey> {
  const text = await askFor(ask, "publicKey", { method: "publicKey" });
  try {
    return new PublicKey(text);
  } catch {
    throw new SignerError("the launch signer's publicKey is not a base58 address");
  }
}

/** @returns what the question returns, or why the signer does not answer it */
async function problemOf(question: () => Promise<string | null>): Promise<string | null> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SignerError) return error.message;
    throw error;
  }
}

async function askFor(
  ask: AskSigner,
  field: "publicKey" | "signature" | "allowed",
  request: SignerRequest,
): Promise<string> {
  const text = await ask(request);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new SignerError("the launch signer's answer is not JSON");
  }
  const { [field]: value, error } = Object(answer) as Record<string, unknown>;
  if (typeof error === "string") {
    throw new SignerRefusal(`the launch signer refused: ${error.slice(0, 200)}`);
  }
  if (typeof value !== "string") {
    throw new SignerError(`the launch signer's answer has no ${field}`);
  }
  return value;
}
