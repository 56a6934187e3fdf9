import { PublicKey } from "@solana/web3.js";
import { decodeAddress } from "../base/base58.ts";
import { SharedRead } from "../base/cache.ts";
import type { Clock } from "../base/clock.ts";
import { verifyEd25519 } from "../base/ed25519.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import type { BlockPace } from "./cluster-pace.ts";
import {
  keypairSigner,
  readKeypairFile,
  SignerError,
  SignerRefusal,
  type SigningPurpose,
  type WalletSigner,
} from "./wallet-signer.ts";

type WalletPlace =
  | { readonly kind: "keypair"; readonly path: string }
  | { readonly kind: "http"; readonly url: string };

export async function openWallet(
  place: WalletPlace,
  clock: Clock,
  pace: Pick<BlockPace, "msPerBlock"> | null = null,
): Promise<WalletSigner> {
  if (place.kind === "keypair") return keypairSigner(readKeypairFile(place.path));
  return remoteSigner(
    askHttp(place.url, () => signerTimeoutMs(pace)),
    clock,
  );
}

/** Posts each request, with the URL's user and password as Basic authentication; no redirects. */
export function askHttp(url: string, readTimeoutMs = () => signerTimeoutMs(null)): AskSigner {
  return async (request) => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
        redirect: "error",
        decompress: false,
        signal: AbortSignal.timeout(readTimeoutMs()),
      });
      if (!response.ok) throw new SignerError(`the launch signer answered HTTP ${response.status}`);
      const text = await readAtMost(MAX_ANSWER_BYTES, response.body);
      if (text !== null) return text;
      throw new SignerError("the launch signer's answer is too long");
    } catch (error) {
      if (error instanceof SignerError) throw error;
      // The error's text may contain the URL, and the URL a password.
      const why = error instanceof Error && error.name === "TimeoutError" ? "in time" : "at all";
      throw new SignerError(`the launch signer does not answer ${why}`);
    }
  };
}

/** A request to a signer outside this process: one JSON object, answered with one. */
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
      /** The transaction's serialized message, in base64. */
      readonly message: string;
      readonly purpose: SigningPurpose;
    };

/** Sends a request to the signer and returns its answer. @throws {SignerError} it did not answer */
export type AskSigner = (request: SignerRequest) => Promise<string>;

const SIGNER_TIMEOUT_MS = 10_000;

/** Returns the milliseconds that a signer may take: at most a third of a blockhash's life. */
export function signerTimeoutMs(pace: Pick<BlockPace, "msPerBlock"> | null): number {
  if (pace === null) return SIGNER_TIMEOUT_MS;
  return Math.min(SIGNER_TIMEOUT_MS, Math.round((BLOCKHASH_VALID_BLOCKS * pace.msPerBlock) / 3));
}

const MAX_ANSWER_BYTES = 4_096;

/** How long a result of `check` is reused, in milliseconds: if the signer can sign, and if not. */
const ABLE_FOR_MS = 30_000;
const UNABLE_FOR_MS = 5_000;

/** Opens a remote signer's wallet; verifies signatures. @throws {SignerError} it names no key */
export async function remoteSigner(ask: AskSigner, clock: Clock): Promise<WalletSigner> {
  const publicKey = await askPublicKey(ask);
  const key = publicKey.toBase58();
  const change = async () => {
    const answered = await askPublicKey(ask);
    if (answered.equals(publicKey)) return null;
    return `the launch signer now holds ${answered}, not ${key}: restart the server`;
  };
  const state = new SharedRead(
    () => problemOf(change()),
    (problem) => (problem === null ? ABLE_FOR_MS : UNABLE_FOR_MS),
    clock,
  );
  return {
    publicKey,
    check: () => state.get(),
    refuses: (purpose) =>
      problemOf(askFor(ask, { method: "allows", publicKey: key, purpose }).then(() => null)),
    async sign(message, purpose) {
      const text = Buffer.from(message).toString("base64");
      const request = { method: "sign", publicKey: key, message: text, purpose } as const;
      const answer = await askFor(ask, request).catch((error) => {
        if (!(error instanceof SignerRefusal)) state.forget();
        throw error;
      });
      const signature = Buffer.from(answer, "base64");
      if (!verifyEd25519(message, signature, publicKey.toBytes())) {
        throw new SignerError(`the launch signer's signature is not one of ${key}`);
      }
      return signature;
    },
  };
}

async function askPublicKey(ask: AskSigner): Promise<PublicKey> {
  const bytes = decodeAddress(await askFor(ask, { method: "publicKey" }));
  if (bytes) return new PublicKey(bytes);
  throw new SignerError("the launch signer's publicKey is not a base58 address");
}

/** Returns the question's result, or why the signer does not answer it. */
function problemOf(question: Promise<string | null>): Promise<string | null> {
  return question.catch((error) => {
    if (error instanceof SignerError) return error.message;
    throw error;
  });
}

const FIELDS = { publicKey: "publicKey", allows: "allowed", sign: "signature" } as const;

async function askFor(ask: AskSigner, request: SignerRequest): Promise<string> {
  const text = await ask(request);
  const field = FIELDS[request.method];
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
  if (typeof value === "string") return value;
  throw new SignerError(`the launch signer's answer has no ${field}`);
}
