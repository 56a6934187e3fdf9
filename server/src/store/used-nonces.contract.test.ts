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

  test("of many uses of one nonce at once, one counts", async () => {
    const uses = Array.from({ length: 20 }, () => at.store.usedNonces.use("one", 2_000, 1_000));
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
  });
});
