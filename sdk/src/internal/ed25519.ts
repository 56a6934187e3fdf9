import { getPublicKey, hashes, Point, sign, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { join } from "./bytes.ts";

// Without a wait, noble needs a hash that it does not include.
hashes.sha512 = sha512;

/** Bytes of the seed, the first half of a Solana secret key. */
const SEED_BYTES = 32;

export function signEd25519(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return sign(message, secretKey.subarray(0, SEED_BYTES));
}

/** Verifies strictly: refuses signatures and keys that only lenient verifiers accept. */
export function verifyEd25519(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return verify(signature, message, publicKey, { zip215: false });
}

export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return getPublicKey(secretKey.subarray(0, SEED_BYTES));
}

/** @returns a new key; `secretKey` has 64 bytes: seed, then public key */
export function generateKey(): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  const publicKey = getPublicKey(seed);
  return { publicKey, secretKey: join(seed, publicKey) };
}

/** @returns whether 32 bytes are a point of the curve, as a wallet's address is */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // As Solana's `bytes_are_curve_point` does, which also accepts points in another encoding.
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
