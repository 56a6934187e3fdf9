import { beforeEach, expect, test } from "bun:test";
import { LeaseLostError, type SignedCollection } from "../domain/journal.ts";
import { describeStore } from "./testing/contract.ts";

describeStore("collections", (at) => {
  const ledger = () => at.store.collections;
  const collection = (
    signature: string,
    mints: readonly string[],
    other: Partial<SignedCollection> = {},
  ): SignedCollection => ({
    wallet: "operator",
    signature,
    transaction: Uint8Array.of(1, 2),
    lastValidBlockHeight: 150,
    tokens: mints.map((tokenMint) => ({ tokenMint, vaults: [`of ${tokenMint}`], lamports: "7" })),
    submittedAt: 1_000,
    ...other,
  });
  const confirmed = (mint: string, lamports: bigint) => ({
    status: "confirmed" as const,
    tokens: [{ tokenMint: mint, vaults: [], lamports: `${lamports}` }],
    ...{ paidLamports: lamports, feeLamports: 5_000n, at: 2_000 },
  });
  const all = () => ledger().all();

  beforeEach(async () => {
    const earlier = collection("earlier", ["THEIRS"], { wallet: "former operator" });
    await ledger().record(earlier);
    await ledger().end("earlier", confirmed("THEIRS", 99n));
  });

  test("a collection is stored with its bytes, and keeps what it took once it is confirmed", async () => {
    expect(await ledger().record(collection("one", ["A", "B"]))).toBeNull();
    const [stored, ...none] = await ledger().unsettled();
    expect(none).toEqual([]);
    expect(stored).toMatchObject({
      ...{ wallet: "operator", signature: "one", status: "submitted", submittedAt: 1_000 },
      ...{ lastValidBlockHeight: 150, settledAt: null, paidLamports: null, feeLamports: null },
      tokens: [
        { tokenMint: "A", vaults: ["of A"], lamports: "7" },
        { tokenMint: "B", vaults: ["of B"], lamports: "7" },
      ],
    });
    expect([...(stored?.transaction ?? [])]).toEqual([1, 2]);

    const paid = 2n ** 64n + 1n;
    await ledger().end("one", confirmed("A", paid));
    expect(await ledger().unsettled()).toEqual([]);
    expect((await all()).at(-1)).toMatchObject({
      ...{ status: "confirmed", settledAt: 2_000, transaction: null },
      ...{ paidLamports: paid, feeLamports: 5_000n },
      tokens: [{ tokenMint: "A", lamports: `${paid}` }],
    });
  });

  test("a token is in one submitted collection at most", async () => {
    await ledger().record(collection("one", ["A", "B"]));
    const second = ledger().record(collection("two", ["B", "C"]));
    await expect(second).rejects.toThrow(LeaseLostError);
    expect(await ledger().record(collection("three", ["C"]))).toBeNull();
    await ledger().end("one", { status: "expired", feeLamports: 0n, at: 2_000 });
    expect(await ledger().record(collection("four", ["B"]))).toBeNull();
    expect((await all()).map(({ signature }) => signature)).toEqual([
      ...["earlier", "one", "three", "four"],
    ]);
  });

  test("of collections of one token that are stored at once, one is", async () => {
    const other = await at.database.openAnother();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 ? ledger() : other.collections).record(collection(`${index}`, ["A"])),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a final collection never changes, and no other does with it", async () => {
    await ledger().record(collection("one", ["A"]));
    await ledger().record(collection("two", ["B"]));
    await ledger().end("one", { status: "failed", feeLamports: 5_000n, at: 3_000 });
    const before = await all();
    await ledger().end("one", confirmed("A", 1n));
    await ledger().end("earlier", { status: "expired", feeLamports: 0n, at: 4_000 });
    expect(await all()).toEqual(before);
    expect(before).toMatchObject([
      { signature: "earlier", status: "confirmed", wallet: "former operator", paidLamports: 99n },
      { signature: "one", status: "failed", paidLamports: null, feeLamports: 5_000n },
      { signature: "two", status: "submitted" },
    ]);
  });
});
