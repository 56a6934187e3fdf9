import { beforeEach, expect, test } from "bun:test";
import type { TokenPayout } from "../domain/signing.ts";
import type { HistoryPart } from "./claim-history.ts";
import type { NewPrepared } from "./prepared.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newPaid } from "./testing/rows.ts";

const WHOLE: HistoryPart = { tokenMint: null, limit: null, before: null };

describeStore("a history of claims", (at) => {
  beforeEach(async () => {
    await at.insertToken("ONE");
  });

  const claims = () => at.store.prepared;
  const history = (part: Partial<HistoryPart> = {}, wallet = "agent") =>
    claims().history(wallet, { ...WHOLE, ...part });
  const signatures = async (part: Partial<HistoryPart> = {}) =>
    (await history(part)).rows.map(({ signature }) => signature);

  async function pay(
    messageHash: string,
    paidAt: number,
    other: Partial<NewPrepared> = {},
    payouts: readonly TokenPayout[] = [payout("ONE", 5n)],
  ) {
    const claim = await at.handOut(messageHash, { expiresAt: 1e15, ...other });
    const parts = payouts.flatMap((payout) => [payout.bondingCurve, payout.liquidityPool]);
    const lamports = parts.reduce((sum, part) => sum + part, 0n);
    await claims().confirm(claim, {
      signature: messageHash,
      paidLamports: lamports,
      payouts,
      at: paidAt,
    });
  }

  const payout = (ticker: string, bondingCurve: bigint, liquidityPool = 0n) => ({
    ...{ tokenMint: `mint-${ticker}`, bondingCurve, liquidityPool },
  });

  async function insertTokens(...tickers: string[]) {
    for (const ticker of tickers) {
      await at.advance(DAY_MS);
      await at.insertToken(ticker);
    }
  }

  test("has each claim that has paid, with its parts, and no other", async () => {
    await at.handOut("prepared");
    await at.submitted("sent");
    const huge = 12_345_678_901_234_567_890n;
    await pay("parts", 2_000, {}, [payout("ONE", huge, 1n)]);
    expect(await history()).toEqual({
      rows: [
        {
          ...{ id: 64, tokenMint: "mint-ONE", ticker: "ONE", signature: "parts" },
          receivers: [],
          ...{ confirmedAt: 2_000, bondingCurve: huge, liquidityPool: 1n },
        },
      ],
      next: null,
    });
  });

  test("has an entry for each token of a claim, and none for what paid nothing", async () => {
    await insertTokens("TWO", "THREE");
    const tokens = { otherMints: ["mint-TWO", "mint-THREE"] };
    const paid = [payout("ONE", 3n), payout("TWO", 0n), payout("THREE", 4n, 5n)];
    await pay("joint", 2_000, tokens, paid);
    const { rows } = await history();
    expect(rows.map((row) => [row.ticker, row.bondingCurve, row.liquidityPool])).toEqual([
      ["ONE", 3n, 0n],
      ["THREE", 4n, 5n],
    ]);
    expect(rows.every(({ signature }) => signature === "joint")).toBe(true);
    expect((await history({ tokenMint: "mint-THREE" })).rows).toEqual([rows[1]] as typeof rows);
    await pay("nothing", 3_000, {}, [payout("ONE", 0n)]);
    expect((await history()).rows).toEqual(rows);
    expect((await at.store.tokens.find("agent", "mint-ONE"))?.claimedAt).toBe(2_000);
    expect((await at.store.tokens.find("agent", "mint-TWO"))?.claimedAt).toBeNull();
  });

  test("sums what claims paid of each token, and names the tokens whose sum is incomplete", async () => {
    await insertTokens("TWO", "THREE", "FOUR");
    await pay("first", 2_000, { otherMints: ["mint-TWO"] }, [payout("ONE", 3n), payout("TWO", 4n)]);
    await pay("second", 3_000, {}, [payout("ONE", 5n, 6n)]);
    await pay("nothing", 3_000, {}, [payout("ONE", 0n)]);
    await at.submitted("sent", { tokenMint: "mint-TWO", otherMints: ["mint-FOUR"] });
    await at.handOut("prepared");
    const sum = (bondingCurve: bigint, liquidityPool: bigint, isWhole: boolean) => ({
      ...{ bondingCurve, liquidityPool, isWhole },
    });
    expect(Object.fromEntries(await claims().paidByToken("agent"))).toEqual({
      "mint-ONE": sum(8n, 6n, true),
      "mint-TWO": sum(4n, 0n, false),
      "mint-FOUR": sum(0n, 0n, false),
    });
    expect((await claims().paidByToken("other")).size).toBe(0);
  });

  test("is of one wallet", async () => {
    await at.insertToken("TWO", { wallet: "other" });
    await pay("mine", 2_000, {}, [payout("ONE", 1n)]);
    const theirs = { wallet: "other", tokenMint: "mint-TWO" };
    await pay("theirs", 2_000, theirs, [payout("TWO", 2n)]);
    expect(await signatures()).toEqual(["mine"]);
    expect((await history({}, "other")).rows.map(({ ticker }) => ticker)).toEqual(["TWO"]);
    expect((await history({}, "stranger")).rows).toEqual([]);
  });

  test("has the claim that was recorded last first, whatever the clocks said", async () => {
    const late = await at.handOut("late");
    await pay("first", 9_000);
    await pay("second", 5_000);
    await claims().confirm(late, newPaid("late", 1n, 1_000));
    expect(await signatures()).toEqual(["late", "second", "first"]);
  });

  test("comes in pages, each entry on one of them, even if more are paid between two pages", async () => {
    await insertTokens("TWO", "THREE");
    const names: string[] = [];
    for (const hash of ["a", "b", "c", "d", "e"]) {
      const isJoint = hash === "b" || hash === "d";
      const parts = ["ONE", ...(isJoint ? ["TWO", "THREE"] : [])];
      const [, ...others] = parts.map((ticker) => `mint-${ticker}`);
      const paid = parts.map((ticker) => payout(ticker, 1n));
      await pay(hash, 2_000, { otherMints: others }, paid);
      names.unshift(...parts.map((ticker) => `${hash} ${ticker}`));
    }
    for (const limit of [1, 2, 3, 4]) {
      const read: string[] = [];
      for (let before: number | null = null, page = 0; page === 0 || before !== null; page++) {
        const { rows, next } = await history({ limit, before });
        expect(rows.length).toBeLessThanOrEqual(limit);
        read.push(...rows.map(({ signature, ticker }) => `${signature} ${ticker}`));
        before = next;
        await pay(`later ${limit} ${page}`, 3_000);
      }
      expect(read.filter((name) => !name.startsWith("later"))).toEqual(names);
    }
    const { length } = (await history()).rows;
    expect((await history({ limit: length })).next).toBeNull();
    expect((await history({ limit: length - 1 })).next).not.toBeNull();
  });

  test("is of one token if asked for", async () => {
    await insertTokens("SECOND");
    await pay("one", 2_000);
    await pay("two", 3_000, { tokenMint: "mint-SECOND" }, [payout("SECOND", 1n)]);
    await pay("three", 4_000);
    expect(await signatures({ tokenMint: "mint-ONE" })).toEqual(["three", "one"]);
    expect(await signatures({ tokenMint: "mint-UNSUCC" })).toEqual([]);
  });
});
