import { expect, test } from "bun:test";
import { limits } from "@tokenctl/shared/limits";
import bs58 from "bs58";
import { decodeAddress, decodeSignature } from "./base58.ts";

test("an address has 32 bytes, a signature 64", () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const signature = crypto.getRandomValues(new Uint8Array(64));
  expect(decodeAddress(bs58.encode(key))).toEqual(key);
  expect(decodeSignature(bs58.encode(signature))).toEqual(signature);
  expect(decodeAddress("1".repeat(32))).toEqual(new Uint8Array(32));
});

test("the longest texts of 32 and 64 bytes have the contract's lengths, and are read", () => {
  const [address, signature] = [32, 64].map((bytes) =>
    bs58.encode(new Uint8Array(bytes).fill(255)),
  );
  expect(address).toHaveLength(limits.wallet.max);
  expect(decodeAddress(address ?? "")).toHaveLength(32);
  expect(signature).toHaveLength(limits.signature.max);
  expect(decodeSignature(signature ?? "")).toHaveLength(64);
});

test.each([
  "",
  "1".repeat(31),
  "1".repeat(33),
  bs58.encode(new Uint8Array(31).fill(255)),
  bs58.encode(new Uint8Array(33).fill(255)),
  "0OIl".repeat(8),
  ` ${"1".repeat(31)}`,
  "É".repeat(32),
  "\u0000".repeat(32),
])("%j is not an address", (text) => {
  expect(decodeAddress(text)).toBeNull();
});

test("a text that is too long is refused without decoding it", () => {
  // Decoding takes quadratic time: hours for this length, far beyond the test's timeout.
  expect(decodeAddress("z".repeat(5_000_000))).toBeNull();
  expect(decodeSignature("z".repeat(5_000_000))).toBeNull();
});
