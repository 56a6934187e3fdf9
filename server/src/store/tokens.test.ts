import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newAttempt } from "../testing/launches.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";
import type { ListedToken } from "./tokens.ts";

const temp = storeWithOtherWallet(false);

const DAY_MS = 86_400_000;

/** Inserts one token a day, because an agent may launch one a day. */
function insertTokens(...tickers: string[]): void {
  for (const ticker of tickers) {
    insertToken(temp, ticker);
    temp.clock.advance(DAY_MS);
  }
}

const tickers = (rows: readonly { ticker: string }[]) => rows.map(({ ticker }) => ticker);

test("a list holds a wallet's own tokens, newest first", () => {
  insertTokens("ONE", "TWO");
  insertToken(temp, "OTHER", { wallet: "other" });
  expect(tickers(temp.store.tokens.list("agent"))).toEqual(["TWO", "ONE"]);
  expect(temp.store.tokens.list("nobody")).toEqual([]);
});

test("a list holds the same fields as find, except event id and wallet", () => {
  const { tokenMint } = insertToken(temp, "ONE");
  const { eventId, wallet, ...listed } = temp.store.tokens.findAny(tokenMint) ?? {};
  expect({ eventId, wallet }).toEqual({ eventId: expect.any(String), wallet: "agent" });
  expect(temp.store.tokens.list("agent")).toEqual([listed] as ListedToken[]);
});

test("find returns a wallet's own tokens only, findAny those of all wallets", () => {
  const { tokenMint } = insertToken(temp, "ONE");
  expect(temp.store.tokens.find("agent", tokenMint)?.ticker).toBe("ONE");
  expect(temp.store.tokens.find("other", tokenMint)).toBeNull();
  expect(temp.store.tokens.findAny(tokenMint)?.ticker).toBe("ONE");
  expect(temp.store.tokens.findAny("mint")).toBeNull();
});

describe("pages", () => {
  test("join up to the whole list", () => {
    insertTokens("A1", "B2", "C3", "D4", "E5");
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page = temp.store.tokens.page("agent", 2, before);
      seen.push(...tickers(page.rows));
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual(["E5", "D4", "C3", "B2", "A1"]);
  });

  test("end with the one that holds the last token", () => {
    insertTokens("A1", "B2");
    expect(temp.store.tokens.page("agent", 2, null).next).toBeNull();
    expect(temp.store.tokens.page("agent", 1, null).next).not.toBeNull();
    expect(temp.store.tokens.page("nobody", 1, null)).toEqual({ rows: [], next: null });
  });

  test("are not disturbed by a token that is deployed between two of them", () => {
    insertTokens("A1", "B2", "C3");
    const first = temp.store.tokens.page("agent", 2, null);
    insertTokens("D4");
    expect(tickers(first.rows)).toEqual(["C3", "B2"]);
    expect(tickers(temp.store.tokens.page("agent", 2, first.next).rows)).toEqual(["A1"]);
  });
});

describe("metadata", () => {
  test("holds what the launch asked for", () => {
    insertToken(temp, "ONE", { description: "a text", imageUrl: "https://example.com/1.png" });
    expect(temp.store.tokens.metadata("mint-ONE")).toEqual({
      name: "ONE token",
      ticker: "ONE",
      description: "a text",
      imageUrl: "https://example.com/1.png",
    });
    expect(temp.store.tokens.metadata("mint-TWO")).toBeNull();
  });

  test("is known once the launch is signed, before it is settled", () => {
    const eventId = insertLaunch(temp, "ONE");
    lease(temp, "holder");
    expect(temp.store.tokens.metadata("mint-ONE")).toBeNull();
    temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"), "2026-03-01");
    expect(temp.store.tokens.metadata("mint-ONE")?.ticker).toBe("ONE");
    expect(temp.store.tokens.findAny("mint-ONE")).toBeNull();
  });
});
