import { expect, test } from "bun:test";
import bs58 from "bs58";
import { decodeAddress, decodeSignature } from "./address.ts";

test("an address is 32 bytes, a signature 64", () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const signature = crypto.getRandomValues(new Uint8Array(64));
  expect(decodeAddress(bs58.encode(key))).toEqual(key);
  expect(decodeSignature(bs58.encode(signature))).toEqual(signature);
  expect(decodeAddress("1".repeat(32))).toEqual(new Uint8Array(32));
  expect(decodeAddress(bs58.encode(new Uint8Array(32).fill(255)))).toHaveLength(32);
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
])("%j is no address", (text) => {
  expect(decodeAddress(text)).toBeNull();
});

test("what is too long is refused unread", () => {
  const started = performance.now();
  expect(decodeAddress("z".repeat(5_000_000))).toBeNull();
  expect(decodeSignature("z".repeat(5_000_000))).toBeNull();
  expect(performance.now() - started).toBeLessThan(50);
});
