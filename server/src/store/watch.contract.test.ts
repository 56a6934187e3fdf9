import { describe, expect, test } from "bun:test";
import { describeStore } from "./testing/contract.ts";
import { newPaid } from "./testing/rows.ts";
import type { TokenRow } from "./tokens.ts";
import type { WatchedToken } from "./watch.ts";

/** A token of the wallet that the tests are not about. Its threshold is 9. */
const THEIRS = "unrelated";

describeStore("the watch of pools", (at) => {
  const watch = () => at.store.watch;
  const eventsOf = async (wallet = "agent") => {
    const found = await at.store.events.read(wallet, null, 100);
    if (found.kind === "gone") throw new Error("events are gone");
    return found.events.slice(1).map(({ type, tokenMint }) => `${type} ${tokenMint}`);
  };
  const all = async () => (await watch().all(0, 100)).filter(({ wallet }) => wallet !== THEIRS);
  const watched = async ({ tokenMint }: TokenRow): Promise<WatchedToken> => {
    const found = (await all()).find((token) => token.tokenMint === tokenMint);
    if (!found) throw new Error(`${tokenMint} is not watched`);
    return found;
  };
  const confirmClaim = async ({ tokenMint }: TokenRow, messageHash: string) => {
    const claim = await at.submitted(messageHash, { tokenMint });
    const payouts = [{ tokenMint, bondingCurve: 5n, liquidityPool: 0n }];
    await at.store.prepared.confirm(claim, { ...newPaid(messageHash, 5n, at.now()), payouts });
  };

  test("a token that has migrated is told once, to its agent alone", async () => {
    const token = await at.insertToken("ONE");
    await at.insertToken("TWO", { wallet: "other" });
    expect(await watch().migrate(token.tokenMint)).toBe(true);
    expect(await watch().migrate(token.tokenMint)).toBe(false);
    expect(await eventsOf()).toEqual([`token.migrated ${token.tokenMint}`]);
    expect(await eventsOf("other")).toEqual([]);
    expect((await all()).map(({ isMigrated }) => isMigrated)).toEqual([true, false]);
  });

  test("two servers that see the same migration add one event", async () => {
    const { tokenMint } = await at.insertToken("ONE");
    const another = await at.database.openAnother();
    const told = [at.store, another].map((store) => store.watch.migrate(tokenMint));
    expect((await Promise.all(told)).sort()).toEqual([false, true]);
    expect(await eventsOf()).toEqual([`token.migrated ${tokenMint}`]);
  });

  test("tokens come in pages, with the threshold that is for them", async () => {
    const one = await at.insertToken("ONE");
    const two = await at.insertToken("TWO", { wallet: "other" });
    await watch().setThreshold("agent", 3n);
    const [first, second] = await all();
    expect(first).toEqual({
      ...{ id: one.id, wallet: "agent", tokenMint: one.tokenMint, poolAddress: one.poolAddress },
      ...{ claimedAt: null, heldSince: null, isMigrated: false, isTold: false, threshold: 3n },
    });
    expect(second).toMatchObject({ tokenMint: two.tokenMint, threshold: null });
    expect((await watch().all(one.id, 1)).map(({ id }) => id)).toEqual([two.id]);
    expect(await watch().all(two.id, 1)).toEqual([]);
  });

  describe("thresholds", () => {
    const HUGE = 2n ** 70n;

    test("are of a wallet, for all its tokens, and as large as one likes", async () => {
      const one = await at.insertToken("ONE");
      expect(await watch().threshold("agent")).toBeNull();
      await watch().setThreshold("agent", 1n);
      await watch().setThreshold("agent", HUGE);
      await watch().setThreshold("other", 7n);
      expect(await watch().threshold("agent")).toBe(HUGE);
      expect((await watched(one)).threshold).toBe(HUGE);
      await watch().deleteThreshold("agent");
      expect((await watched(one)).threshold).toBeNull();
      expect(await watch().threshold("other")).toBe(7n);
    });

    test("name the wallets and the migrated tokens whose fees are read", async () => {
      const one = await at.insertToken("ONE");
      const two = await at.insertToken("TWO", { wallet: "other" });
      await watch().migrate(one.tokenMint);
      expect(await watch().walletsToRead("", 9)).toEqual([]);
      expect(await watch().migratedOf("agent", 0, 9)).toEqual([]);
      await watch().setThreshold("agent", 3n);
      await watch().setThreshold("other", 3n);
      await watch().setThreshold("without tokens", 3n);
      expect(await watch().walletsToRead("", 9)).toEqual(["agent"]);
      expect(await watch().migratedOf("agent", 0, 9)).toEqual([
        expect.objectContaining({ id: one.id, threshold: 3n }),
      ]);
      expect(await watch().migratedOf("agent", one.id, 9)).toEqual([]);
      expect(await watch().migratedOf("other", 0, 9)).toEqual([]);
      await watch().migrate(two.tokenMint);
      expect(await watch().walletsToRead("", 1)).toEqual(["agent"]);
      expect(await watch().walletsToRead("agent", 9)).toEqual(["other"]);
      expect(await watch().walletsToRead("other", 9)).toEqual([]);
    });
  });

  test("a token's fees are read for the wallet that has accepted it, and no longer for its launcher", async () => {
    const { tokenMint } = await at.insertToken("ONE");
    await watch().migrate(tokenMint);
    for (const wallet of ["agent", "newCreator"]) await watch().setThreshold(wallet, 3n);
    await at.store.handOvers.found({ tokenMint, known: "agent", actual: "newCreator" });
    const read = async () =>
      await Promise.all(["agent", "newCreator"].map((wallet) => watch().migratedOf(wallet, 0, 9)));
    expect(await read()).toEqual([[], []]);
    expect(await watch().walletsToRead("", 9)).toEqual([]);
    await at.store.handOvers.accept("newCreator", tokenMint);
    expect(await watch().walletsToRead("", 9)).toEqual(["newCreator"]);
    expect(await read()).toMatchObject([[], [{ tokenMint, threshold: 3n }]]);
  });

  describe("fees that reach their threshold", () => {
    const set = (lamports: bigint) => watch().setThreshold("agent", lamports);

    test("are told once, and again only after they were below it", async () => {
      const token = await at.insertToken("ONE");
      await at.insertToken("TWO", { wallet: "other" });
      await set(3n);
      const seen = await watched(token);
      expect(await watch().tellFees(seen)).toBe(true);
      expect(await watch().tellFees(seen)).toBe(false);
      expect((await watched(token)).isTold).toBe(true);
      await watch().rearm(token.tokenMint);
      expect(await watch().tellFees(await watched(token))).toBe(true);
      const told = `fees.claimable ${token.tokenMint}`;
      expect(await eventsOf()).toEqual([told, told]);
      expect(await eventsOf("other")).toEqual([]);
    });

    test("are told again after a claim, and not by what was read before it", async () => {
      const token = await at.insertToken("ONE");
      await set(3n);
      const seen = await watched(token);
      expect(await watch().tellFees(seen)).toBe(true);
      await confirmClaim(token, "claim");
      expect(await watch().tellFees(seen)).toBe(false);
      const now = await watched(token);
      expect(now).toMatchObject({ isTold: false, claimedAt: at.now() });
      expect(await watch().tellFees(now)).toBe(true);
    });

    test("are not told by a threshold that was changed or deleted after it was read", async () => {
      const token = await at.insertToken("ONE");
      await set(3n);
      const seen = await watched(token);
      await set(4n);
      expect(await watch().tellFees(seen)).toBe(false);
      await watch().deleteThreshold("agent");
      expect(await watch().tellFees({ ...seen, threshold: 4n })).toBe(false);
      expect(await watch().tellFees({ ...seen, threshold: null })).toBe(false);
      expect(await eventsOf()).toEqual([]);
    });

    test("are told again by the threshold that follows a deleted one", async () => {
      const token = await at.insertToken("ONE");
      await set(3n);
      await watch().tellFees(await watched(token));
      expect((await watched(token)).isTold).toBe(true);
      await watch().deleteThreshold("agent");
      expect((await watched(token)).isTold).toBe(false);
    });
  });

  test("one server watches at a time, until its lease has run out", async () => {
    const another = (await at.database.openAnother()).watch;
    expect(await watch().lease("one", 60_000)).toBe(true);
    expect(await another.lease("two", 60_000)).toBe(false);
    await at.advance(30_000);
    expect(await watch().lease("one", 60_000)).toBe(true);
    await at.advance(59_999);
    expect(await another.lease("two", 60_000)).toBe(false);
    await at.advance(1);
    expect(await another.lease("two", 60_000)).toBe(true);
    expect(await watch().lease("one", 60_000)).toBe(false);
    expect(await watch().lease("one", 0)).toBe(false);
    await at.advance(-3_600_000);
    expect(await watch().lease("one", 60_000)).toBe(true);
  });
});
