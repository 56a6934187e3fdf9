import { describe, expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import fc from "fast-check";
import nacl from "tweetnacl";
import { isSafePublicKey, verifyEd25519, verifyInPool } from "./ed25519.ts";

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The order of the base point (RFC 8032, section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Public key, message and signature of RFC 8032, section 7.1, TEST 1, 2, 3 and SHA(abc). */
const VECTORS = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
  [
    "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
  ],
] as const;

/** All encodings of points of small order, the canonical ones first. */
const SMALL_ORDER = [
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

/** Verifies with `node:crypto` alone, which does not check the key. */
function verifyLaxly(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const der = Buffer.concat([hex("302a300506032b6570032100"), publicKey]);
  return verify(
    null,
    message,
    createPublicKey({ key: der, format: "der", type: "spki" }),
    signature,
  );
}

async function bothVerify(...given: Parameters<typeof verifyEd25519>): Promise<boolean> {
  const isValid = verifyEd25519(...given);
  expect(await verifyInPool(...given)).toBe(isValid);
  return isValid;
}

test.each(VECTORS)("the signature of RFC 8032 by %s is valid", async (key, message, signature) => {
  expect(await bothVerify(hex(message), hex(signature), hex(key))).toBe(true);
});

test("signatures of tweetnacl are valid, and any changed bit makes them invalid", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.nat(),
      async (seed, message, bit) => {
        const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
        const signature = nacl.sign.detached(message, secretKey);
        expect(await bothVerify(message, signature, publicKey)).toBe(true);
        const flip = (bytes: Uint8Array) =>
          bytes.map((byte, index) =>
            index === (bit >> 3) % bytes.length ? byte ^ (1 << (bit & 7)) : byte,
          );
        expect(await bothVerify(flip(message), signature, publicKey)).toBe(false);
        expect(await bothVerify(message, flip(signature), publicKey)).toBe(false);
        expect(await bothVerify(message, signature, flip(publicKey))).toBe(false);
      },
    ),
    { numRuns: 40 },
  );
});

describe("verification is strict", () => {
  test("S + L instead of S is refused, although the equation holds", async () => {
    const [key, message, signature] = VECTORS[1];
    const bytes = hex(signature);
    const s = BigInt(`0x${Buffer.from(bytes.slice(32)).reverse().toString("hex")}`);
    const raised = hex((s + L).toString(16).padStart(64, "0")).reverse();
    bytes.set(raised, 32);
    expect(await bothVerify(hex(message), bytes, hex(key))).toBe(false);
  });

  test.each(SMALL_ORDER)("the small-order key %s is refused", (key) => {
    expect(isSafePublicKey(hex(key))).toBe(false);
  });

  test("forgeries for such keys that node:crypto accepts are refused", async () => {
    // R is the identity and S is 0: valid for a message whose hash is a multiple of the order.
    const forged = new Uint8Array(64);
    forged[0] = 1;
    const forgeries = SMALL_ORDER.flatMap((key) =>
      Array.from({ length: 64 }, (_, n) => ({ key: hex(key), message: utf8(`message ${n}`) })),
    ).filter(({ key, message }) => verifyLaxly(message, forged, key));
    expect(new Set(forgeries.map(({ key }) => key.toString())).size).toBeGreaterThanOrEqual(8);
    for (const { key, message } of forgeries) {
      expect(await bothVerify(message, forged, key)).toBe(false);
    }
  });

  test("a key with a y of p or more is refused", () => {
    for (let low = 0xed; low <= 0xff; low++) {
      const key = hex(`${low.toString(16)}${"ff".repeat(30)}7f`);
      expect(isSafePublicKey(key)).toBe(false);
      key[31] = 0xff;
      expect(isSafePublicKey(key)).toBe(false);
    }
    expect(isSafePublicKey(hex(`eb${"ff".repeat(30)}7f`))).toBe(true);
  });

  test("a key that is no point of the curve is refused without an error", async () => {
    const [, message, signature] = VECTORS[1];
    for (let y = 2; y < 66; y++) {
      const key = new Uint8Array(32);
      key[0] = y;
      expect(await bothVerify(hex(message), hex(signature), key)).toBe(false);
    }
  });

  test("signatures and keys of other lengths are refused", async () => {
    const [key, message, signature] = VECTORS[1];
    const [k, m, s] = [hex(key), hex(message), hex(signature)];
    expect(await bothVerify(m, s.slice(0, 63), k)).toBe(false);
    expect(await bothVerify(m, Uint8Array.from([...s, 0]), k)).toBe(false);
    expect(await bothVerify(m, s, k.slice(0, 31))).toBe(false);
    expect(await bothVerify(m, s, Uint8Array.from([...k, 0]))).toBe(false);
  });
});
