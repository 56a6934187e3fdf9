import { getPublicKey, hashes, Point, sign, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { join } from "./bytes.ts";

// noble's synchronous functions need a hash that noble does not include.
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

/** Makes a key; `secretKey` has 64 bytes: seed, then public key. */
export function generateKey(): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  const publicKey = getPublicKey(seed);
  return { publicKey, secretKey: join(seed, publicKey) };
}

/** Returns whether 32 bytes are a point of the curve, like a wallet's address. */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // Like Solana's `bytes_are_curve_point`, accepts points that are not in canonical encoding.
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
