import { expect, test } from "bun:test";
import { createPrivateKey, sign } from "node:crypto";
import { Keypair } from "@solana/web3.js";
import fc from "fast-check";
import { publicKeyOf, signEd25519, verifyEd25519 } from "./ed25519.ts";

/** The bytes before the seed in a PKCS #8 private key. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

test("keys and signatures are those of other Ed25519 libraries", () => {
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(seed, fc.uint8Array({ maxLength: 400 }), (bytes, message) => {
      const { publicKey, secretKey } = Keypair.fromSeed(bytes);
      expect(publicKeyOf(secretKey)).toEqual(publicKey.toBytes());
      const signature = signEd25519(message, secretKey);
      const key = createPrivateKey({
        key: Buffer.concat([PKCS8, bytes]),
        format: "der",
        type: "pkcs8",
      });
      expect(signature).toEqual(Uint8Array.from(sign(null, message, key)));
      expect(verifyEd25519(message, signature, publicKey.toBytes())).toBeTrue();
      const flipped = signature.map((byte, i) => (i === message.length % 64 ? byte ^ 1 : byte));
      expect(verifyEd25519(message, flipped, publicKey.toBytes())).toBeFalse();
    }),
    { numRuns: 20 },
  );
});

test("a key of small order verifies nothing", () => {
  // Key and R are the neutral point, and S = 0: lenient verifiers accept this for every message.
  const neutral = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));
  const forged = Uint8Array.from({ length: 64 }, (_, i) => neutral[i] ?? 0);
  expect(verifyEd25519(new Uint8Array([1]), forged, neutral)).toBeFalse();
});
