import {
  readMessage,
  SIGNATURE_BYTES,
  type SplitTransaction,
  splitTransaction,
} from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { isMarked, refuseTransaction } from "../claim-check/instruction.ts";
import { SignerError } from "../errors.ts";
import type { Signer } from "../signer.ts";
import { decodeBase64, encodeBase64, equalBytes } from "./bytes.ts";
import { forbiddenChange } from "./wallet-change.ts";
import { isEmptySignature, isSignatureOf, signatureIndex } from "./wire-transaction.ts";

export type What = "claim" | "launch" | "hand-over";

export function decodeTransaction(transaction: string): Uint8Array {
  const bytes = decodeBase64(transaction);
  if (bytes !== null) return bytes;
  return refuseTransaction("the transaction is not base64");
}

export const isPlay = (transaction: string) => isMarked(decodeTransaction(transaction));

export async function signChecked(
  signer: Signer,
  unsigned: Uint8Array,
  what: What,
): Promise<string> {
  // The signer gets a copy, because its result is compared with the original bytes.
  const copy = Uint8Array.from(unsigned);
  const given = await ask(`the ${what} transaction`, () => signer.signTransaction(copy));
  const signed = Uint8Array.from(bytesOf(given, "signTransaction"));
  const split = splitTransaction(unsigned);
  const parts = read(signed, split, what);
  const change = changeOf(split, parts, what);
  if (change !== null) {
    throw new SignerError(`The signer returned a different transaction: ${change}`, {
      hint: "Use a signer that adds only assertions of Lighthouse, and nothing to a sponsored claim",
    });
  }
  const agent = signer.publicKey;
  const signature = parts.signatures[signatureIndex(parts, agent)];
  if (signature && isSignature(parts.message, signature, agent)) return encodeBase64(signed);
  const isUnsigned = !signature || isEmptySignature(signature);
  throw new SignerError(
    isUnsigned
      ? `The signer returned the ${what} without a signature of ${agent}`
      : `The signer's signature is not valid for ${agent}`,
    { hint: "Check that signTransaction uses the key that belongs to the signer's publicKey" },
  );
}

export async function signText(signer: Signer, text: string): Promise<string> {
  const message = new TextEncoder().encode(text);
  const copy = Uint8Array.from(message);
  const given = await ask("the sign-in message", () => signer.signMessage(copy));
  const signature = Uint8Array.from(bytesOf(given, "signMessage"));
  if (signature.length !== SIGNATURE_BYTES) {
    throw new SignerError(
      `The signer returned ${signature.length} bytes instead of a ${SIGNATURE_BYTES}-byte signature`,
    );
  }
  if (!isSignature(message, signature, signer.publicKey)) {
    throw new SignerError(
      `The signer's signature of the sign-in message is not valid for ${signer.publicKey}`,
      {
        hint: "Use a signer whose signMessage signs exactly the given bytes with its publicKey; hardware devices sign an off-chain header before them",
      },
    );
  }
  return bs58.encode(signature);
}

async function ask(what: string, sign: () => unknown): Promise<unknown> {
  try {
    return await sign();
  } catch (cause) {
    if (cause instanceof SignerError) throw cause;
    throw new SignerError(`The signer did not sign ${what}`, { cause });
  }
}

function isSignature(message: Uint8Array, signature: Uint8Array, address: string): boolean {
  return isSignatureOf(message, signature, bs58.decodeUnsafe(address) ?? new Uint8Array());
}

function read(signed: Uint8Array, given: SplitTransaction, what: What): SplitTransaction {
  const refuse = (saw: string, cause?: unknown): never => {
    const text = `The signer returned ${saw} instead of the signed ${what} transaction`;
    throw new SignerError(text, { cause, hint: "Return the whole transaction in the wire format" });
  };
  try {
    const parts = splitTransaction(signed);
    const { version } = readMessage(parts.message);
    if (version === readMessage(given.message).version) return parts;
    return refuse(`a transaction of version ${version}`);
  } catch (cause) {
    if (cause instanceof SignerError) throw cause;
    const why = (cause as Error).message;
    return refuse(`${signed.length} bytes that are not a transaction (${why})`, cause);
  }
}

function changeOf(given: SplitTransaction, signed: SplitTransaction, what: What): string | null {
  const [count, expected] = [signed.signatures.length, given.signatures.length];
  if (count !== expected) return `it has ${count} signatures instead of ${expected}`;
  const change = forbiddenChange(given.message, signed.message);
  if (change !== null || expected === 1 || what === "launch") return change;
  // The sponsor signs only the message that it has built.
  return equalBytes(given.message, signed.message)
    ? null
    : "it adds assertions to a sponsored claim";
}

const WANTED = {
  signMessage: "the 64 bytes of a signature",
  signTransaction: "the signed transaction in bytes",
} as const;

/** Reads a signer's result, which may be anything, because types do not bind a wallet's code. */
function bytesOf(given: unknown, method: keyof typeof WANTED): Uint8Array {
  if (ArrayBuffer.isView(given) && tagOf(given) === "Uint8Array") return given as Uint8Array;
  throw new SignerError(
    `The signer's ${method} returned ${describe(given)} instead of ${WANTED[method]}`,
    { hint: `Let ${method} return a Uint8Array: ${WANTED[method]}` },
  );
}

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

function describe(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (typeof given === "string") return `a text of ${given.length} characters`;
  if (typeof given !== "object") return `a ${typeof given}`;
  return `an object of the class ${given.constructor?.name ?? "Object"}`;
}
