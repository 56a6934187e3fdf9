import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newAttempt } from "../../testing/launches.ts";
import type { ListedToken } from "../token-store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const DAY_MS = 86_400_000;

/** Inserts one token a day, because an agent may launch one a day. */
async function insertTokens(...tickers: string[]): Promise<void> {
  for (const ticker of tickers) {
    await insertToken(temp, ticker);
    temp.clock.advance(DAY_MS);
  }
}

const tickers = (rows: readonly { ticker: string }[]) => rows.map(({ ticker }) => ticker);

test("a list holds a wallet's own tokens, newest first", async () => {
  await insertTokens("ONE", "TWO");
  await insertToken(temp, "OTHER", { wallet: "other" });
  expect(tickers(await temp.store.tokens.list("agent"))).toEqual(["TWO", "ONE"]);
  expect(await temp.store.tokens.list("nobody")).toEqual([]);
});

test("a list holds the same fields as find, except event id and wallet", async () => {
  const { tokenMint } = await insertToken(temp, "ONE");
  const { eventId, wallet, ...listed } = (await temp.store.tokens.findAny(tokenMint)) ?? {};
  expect({ eventId, wallet }).toEqual({ eventId: expect.any(String), wallet: "agent" });
  expect(await temp.store.tokens.list("agent")).toEqual([listed] as ListedToken[]);
});

test("find returns a wallet's own tokens only, findAny those of all wallets", async () => {
  const { tokenMint } = await insertToken(temp, "ONE");
  expect((await temp.store.tokens.find("agent", tokenMint))?.ticker).toBe("ONE");
  expect(await temp.store.tokens.find("other", tokenMint)).toBeNull();
  expect((await temp.store.tokens.findAny(tokenMint))?.ticker).toBe("ONE");
  expect(await temp.store.tokens.findAny("mint")).toBeNull();
});

describe("pages", () => {
  test("join up to the whole list", async () => {
    await insertTokens("A1", "B2", "C3", "D4", "E5");
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page = await temp.store.tokens.page("agent", 2, before);
      seen.push(...tickers(page.rows));
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual(["E5", "D4", "C3", "B2", "A1"]);
  });

  test("end with the one that holds the last token", async () => {
    await insertTokens("A1", "B2");
    expect((await temp.store.tokens.page("agent", 2, null)).next).toBeNull();
    expect((await temp.store.tokens.page("agent", 1, null)).next).not.toBeNull();
    expect(await temp.store.tokens.page("nobody", 1, null)).toEqual({ rows: [], next: null });
  });

  test("are not disturbed by a token that is deployed between two of them", async () => {
    await insertTokens("A1", "B2", "C3");
    const first = await temp.store.tokens.page("agent", 2, null);
    await insertTokens("D4");
    expect(tickers(first.rows)).toEqual(["C3", "B2"]);
    expect(tickers((await temp.store.tokens.page("agent", 2, first.next)).rows)).toEqual(["A1"]);
  });
});

describe("metadata", () => {
  test("holds what the launch asked for", async () => {
    await insertToken(temp, "ONE", {
      description: "a text",
      imageUrl: "https://example.com/1.png",
    });
    expect(await temp.store.tokens.metadata("mint-ONE")).toEqual({
      name: "ONE token",
      ticker: "ONE",
      description: "a text",
      imageUrl: "https://example.com/1.png",
      website: null,
      twitter: null,
      telegram: null,
      wallet: "agent",
      poolTerms: null,
      isDeployed: true,
    });
    expect(await temp.store.tokens.metadata("mint-TWO")).toBeNull();
  });

  test("is known once the launch is signed, before it is settled", async () => {
    const eventId = await insertLaunch(temp, "ONE");
    await lease(temp, "holder");
    expect(await temp.store.tokens.metadata("mint-ONE")).toBeNull();
    await temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
    expect((await temp.store.tokens.metadata("mint-ONE"))?.ticker).toBe("ONE");
    expect(await temp.store.tokens.findAny("mint-ONE")).toBeNull();
  });
});
