import { createPublicKey, verify } from "node:crypto";

/** DER of an Ed25519 SubjectPublicKeyInfo up to the key's 32 bytes (RFC 8410, section 4). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** The encodings of the points of small order, without the sign of x, as libsodium lists them. */
const SMALL_ORDER = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/**
 * Whether a key is canonical and not of small order: what a strict verifier asks beside the
 * signature itself.
 *
 * @param {Uint8Array} publicKey 32 bytes
 */
export function isSafeKey(publicKey) {
  const hex = Buffer.from(publicKey).toString("hex");
  const last = (Number.parseInt(hex.slice(62), 16) & 0x7f).toString(16).padStart(2, "0");
  const y = hex.slice(0, 62) + last;
  const isCanonical = !(y.endsWith("7f") && /^(e[d-f]|f[0-9a-f])(ff){30}7f$/.test(y));
  return isCanonical && !SMALL_ORDER.has(y);
}

/**
 * Verifies strictly with the runtime's own Ed25519.
 *
 * @param {Uint8Array} message
 * @param {Uint8Array} signature 64 bytes
 * @param {Uint8Array} publicKey 32 bytes
 */
export function verifyNative(message, signature, publicKey) {
  if (!isSafeKey(publicKey)) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: "der",
    type: "spki",
  });
  return verify(null, message, key, signature);
}
