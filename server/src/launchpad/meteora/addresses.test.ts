import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { curvePoolAddress, mintKeypair } from "./launch.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";

const secret = new Uint8Array(32).fill(7);
const eventId = "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a11";

test("the same secret and event always make the same mint, on every machine", () => {
  expect(mintKeypair(secret, eventId).publicKey.toBase58()).toBe(
    "9QxkEeZCdp6jdM2hKUJojaz8dQ4YuZDuCSBZu4Uo1rsS",
  );
});

test("another event or another secret makes another mint", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  const otherEvent = mintKeypair(secret, "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a12").publicKey;
  const otherSecret = mintKeypair(new Uint8Array(32).fill(8), eventId).publicKey;
  expect(otherEvent.equals(mint)).toBe(false);
  expect(otherSecret.equals(mint)).toBe(false);
});

test("another config makes another pool of the same mint", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  const [one, other] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  expect(curvePoolAddress(one, mint).equals(curvePoolAddress(other, mint))).toBe(false);
});

test("a migration fee option that does not exist is refused", () => {
  const mint = mintKeypair(secret, eventId).publicKey;
  expect(() => liquidityPoolAddress(7, mint)).toThrow(RangeError);
});
