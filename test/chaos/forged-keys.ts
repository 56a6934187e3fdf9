/**
 * Every encoding of a point of small order on edwards25519, the eight canonical ones first. The
 * others have a y that is not below p, or a sign bit although x is 0 (libsodium's
 * `ge25519_has_small_order`; RFC 8032, section 5.1.3).
 */
export const SMALL_ORDER_KEYS: readonly string[] = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

/**
 * Signatures for keys of small order, made without any secret: R is a point of small order and S is
 * 0. Which R is valid depends on the message's hash modulo 8, so about one in eight is.
 */
export function forgedSignatures(): Uint8Array[] {
  return SMALL_ORDER_KEYS.map((point) => {
    const signature = new Uint8Array(64);
    signature.set(Buffer.from(point, "hex"));
    return signature;
  });
}

/** The order of the base point (RFC 8032, section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with S + L in place of S, which a lax verifier accepts. */
export function raised(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`);
  const copy = Uint8Array.from(signature);
  copy.set(Buffer.from((s + L).toString(16).padStart(64, "0"), "hex").reverse(), 32);
  return copy;
}
