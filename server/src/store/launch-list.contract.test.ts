import { expect, test } from "bun:test";
import type { LaunchStatusName } from "@tokenctl/shared/types";
import { describeStore } from "./testing/contract.ts";
import { WHOLE_LIST } from "./testing/rows.ts";
import type { PagePart } from "./tokens.ts";

type Query = Partial<PagePart> & { readonly status?: LaunchStatusName | null };

describeStore("the list of launches", (at) => {
  const list = ({ status = null, ...part }: Query = {}, wallet = "agent") =>
    at.launches.list(wallet, status, { ...WHOLE_LIST, ...part });
  const tickers = async (query: Query = {}) => (await list(query)).rows.map(({ ticker }) => ticker);

  test("shows a wallet's launches, newest first, and no other wallet's", async () => {
    const one = await at.insert("ONE", { name: "Öne" });
    await at.insert("THEIRS", { wallet: "other" });
    const createdAt = at.now();
    await at.advance(5);
    const two = await at.insert("TWO");
    const { rows, next } = await list();
    expect(rows.map(({ eventId }) => eventId)).toEqual([two, one]);
    expect(rows[1]).toEqual({
      ...{ id: expect.any(Number), eventId: one, ticker: "ONE", name: "Öne", createdAt },
      ...{
        status: "pending",
        processedAt: null,
        payer: null,
        agentLamports: null,
        signBy: null,
        error: null,
        tokenMint: null,
        poolAddress: null,
      },
      wait: { reason: "queue", since: createdAt, place: null },
    });
    expect(next).toBeNull();
    expect((await list({}, "other")).rows.map(({ ticker }) => ticker)).toEqual(["THEIRS"]);
    expect((await list({}, "stranger")).rows).toEqual([]);
  });

  test("shows those of one status", async () => {
    await at.insertToken("DONE");
    await at.insertFailed("BAD");
    const cancelled = await at.insert("GONE");
    await at.launches.cancel("agent", cancelled, "Cancelled");
    await at.insert("WAITS");
    expect(await tickers({ status: "failed" })).toEqual(["GONE", "BAD"]);
    expect(await tickers({ status: "pending" })).toEqual(["WAITS"]);
    expect(await tickers({ status: "success" })).toEqual(["DONE"]);
    expect(await tickers({ status: "rate_limited" })).toEqual([]);
    const [done] = (await list({ status: "success" })).rows;
    expect(done).toMatchObject({ tokenMint: "mint-DONE", wait: null });
  });

  test("its pages together are the whole list, also of one status", async () => {
    for (let n = 0; n < 7; n++) {
      const eventId = await at.insert(`T${n}`);
      if (n % 2 === 0) await at.launches.cancel("agent", eventId, "Cancelled");
      await at.insert(`O${n}`, { wallet: "other" });
    }
    for (const status of [null, "pending", "failed"] as const) {
      const pages: string[][] = [];
      let before: number | null = null;
      do {
        const page = await list({ status, limit: 2, before });
        pages.push(page.rows.map(({ ticker }) => ticker));
        before = page.next;
      } while (before !== null);
      expect(pages.flat()).toEqual(await tickers({ status }));
      expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
    }
  });
});
