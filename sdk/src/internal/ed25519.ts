import { getPublicKey, hashes, keygen, Point, sign, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";

// The library has no synchronous hash of its own, and signers answer synchronously.
hashes.sha512 = sha512;

/** Bytes of the seed, the first half of a Solana secret key. */
const SEED_BYTES = 32;

/**
 * @param secretKey 64 bytes: seed, then public key
 * @returns the 64-byte signature
 */
export function signEd25519(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return sign(message, secretKey.subarray(0, SEED_BYTES));
}

/**
 * @returns whether it is a signature of the message; false also for signatures and keys that only
 * lenient verifiers accept
 */
export function verifyEd25519(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return verify(signature, message, publicKey, { zip215: false });
}

/** @returns the public key of a secret key's first half */
export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return getPublicKey(secretKey.subarray(0, SEED_BYTES));
}

/** @returns a new key; `secretKey` has 64 bytes: seed, then public key */
export function generateKey(): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const { secretKey: seed, publicKey } = keygen();
  return { publicKey, secretKey: Uint8Array.from([...seed, ...publicKey]) };
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
