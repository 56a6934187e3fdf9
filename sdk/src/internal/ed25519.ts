import { getPublicKey, hashes, keygen, Point, sign, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";

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
  const { secretKey: seed, publicKey } = keygen();
  return { publicKey, secretKey: Uint8Array.from([...seed, ...publicKey]) };
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
