// tweetnacl makes keys and signs. It verifies leniently and cannot check points, so @noble/ed25519 does that.
import { hashes, Point, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import nacl from "tweetnacl";

// Synchronous verification needs a synchronous hash, which noble does not include.
hashes.sha512 = sha512;

/** Bytes of the seed, the first half of a Solana secret key. */
const SEED_BYTES = 32;

/** @returns the 64-byte signature */
export function signEd25519(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  // A copy, because tweetnacl refuses arrays of another realm, such as a frame's.
  return nacl.sign.detached(Uint8Array.from(message), secretKey);
}

/** Verifies strictly: refuses signatures and keys that only lenient verifiers accept. */
export function verifyEd25519(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return verify(signature, message, publicKey, { zip215: false });
}

/** @returns the public key of a secret key's first half */
export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return nacl.sign.keyPair.fromSeed(secretKey.subarray(0, SEED_BYTES)).publicKey;
}

/** @returns a new key; `secretKey` has 64 bytes: seed, then public key */
export function generateKey(): { publicKey: Uint8Array; secretKey: Uint8Array } {
  // The seed comes from the platform: tweetnacl would look for a random source in Node's modules.
  return nacl.sign.keyPair.fromSeed(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
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
