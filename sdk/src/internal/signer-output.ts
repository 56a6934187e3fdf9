import bs58 from "bs58";
import { SignerError } from "../errors.ts";
import { decodeBase64 } from "./bytes.ts";

const WANTED = {
  signMessage: "the 64 bytes of a signature",
  signTransaction: "the signed transaction in bytes",
} as const;

/**
 * Reads what a signer returned, which may be anything: a wallet is not written in this package's types.
 *
 * @throws {SignerError} unless it is a `Uint8Array`, of any realm; it says what came instead, but repeats no value
 */
export function bytesOf(given: unknown, method: keyof typeof WANTED): Uint8Array {
  if (ArrayBuffer.isView(given) && tagOf(given) === "Uint8Array") return given as Uint8Array;
  throw new SignerError(
    `The signer's ${method} returned ${describe(given)} instead of ${WANTED[method]}`,
    { hint: `Let ${method} return a Uint8Array: ${WANTED[method]}` },
  );
}

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

function describe(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (typeof given === "string") return `${kindOfText(given)} of ${given.length} characters`;
  if (typeof given !== "object") return `a ${typeof given}`;
  if (Array.isArray(given)) return `an array of ${given.length} items`;
  const name = given.constructor?.name ?? "Object";
  if (name !== "Object") return `an object of the class ${name}`;
  const keys = Object.keys(given);
  if (keys.length > 0 && keys.every((key, place) => key === String(place))) {
    return `an object with the keys 0 to ${keys.length - 1}, which JSON makes of bytes`;
  }
  return keys.length === 0 ? "an empty object" : `an object with the keys ${keys.join(", ")}`;
}

function kindOfText(text: string): string {
  if (text === "") return "a text";
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return "a hex text";
  if (bs58.decodeUnsafe(text)) return "a base58 text";
  return decodeBase64(text) ? "a base64 text" : "a text";
}
