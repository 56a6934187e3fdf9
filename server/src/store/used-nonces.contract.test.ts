import { expect, test } from "bun:test";
import { describeStore } from "./testing/contract.ts";

describeStore("used nonces", (at) => {
  test("a nonce works once, and each has its own use", async () => {
    const { usedNonces } = at.store;
    expect(await usedNonces.use("one", 2_000, 1_000)).toBe(true);
    expect(await usedNonces.use("one", 2_000, 1_000)).toBe(false);
    expect(await usedNonces.use("two", 2_000, 1_000)).toBe(true);
    expect(await usedNonces.use("one", 2_000, 1_999)).toBe(false);
  });
});
