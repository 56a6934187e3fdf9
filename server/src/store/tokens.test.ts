import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newAttempt } from "../testing/launches.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";
import type { ListedToken } from "./tokens.ts";

const temp = storeWithOtherWallet(false);

const DAY_MS = 86_400_000;

/** One token a day, so that the limit of one a day plays no part. */
function insertTokens(...tickers: string[]): void {
  for (const ticker of tickers) {
    insertToken(temp, ticker);
    temp.clock.advance(DAY_MS);
  }
}

const tickers = (rows: readonly { ticker: string }[]) => rows.map(({ ticker }) => ticker);

test("a wallet's tokens, newest first, and nobody else's", () => {
  insertTokens("ONE", "TWO");
  insertToken(temp, "OTHER", { wallet: "other" });
  expect(tickers(temp.store.tokens.list("agent"))).toEqual(["TWO", "ONE"]);
  expect(temp.store.tokens.list("nobody")).toEqual([]);
});

test("a list tells of a token what find tells, but whose it is", () => {
  const { tokenMint } = insertToken(temp, "ONE");
  const { eventId, wallet, ...listed } = temp.store.tokens.findAny(tokenMint) ?? {};
  expect({ eventId, wallet }).toEqual({ eventId: expect.any(String), wallet: "agent" });
  expect(temp.store.tokens.list("agent")).toEqual([listed] as ListedToken[]);
});

test("find knows a wallet's own tokens only, findAny those of all", () => {
  const { tokenMint } = insertToken(temp, "ONE");
  expect(temp.store.tokens.find("agent", tokenMint)?.ticker).toBe("ONE");
  expect(temp.store.tokens.find("other", tokenMint)).toBeNull();
  expect(temp.store.tokens.findAny(tokenMint)?.ticker).toBe("ONE");
  expect(temp.store.tokens.findAny("mint")).toBeNull();
});

describe("page", () => {
  test("pages join up to the whole list", () => {
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

  test("there is no next page after exactly as many as fit", () => {
    insertTokens("A1", "B2");
    expect(temp.store.tokens.page("agent", 2, null).next).toBeNull();
    expect(temp.store.tokens.page("agent", 1, null).next).not.toBeNull();
    expect(temp.store.tokens.page("nobody", 1, null)).toEqual({ rows: [], next: null });
  });

  test("a token that is deployed between two pages disturbs neither", () => {
    insertTokens("A1", "B2", "C3");
    const first = temp.store.tokens.page("agent", 2, null);
    insertTokens("D4");
    expect(tickers(first.rows)).toEqual(["C3", "B2"]);
    expect(tickers(temp.store.tokens.page("agent", 2, first.next).rows)).toEqual(["A1"]);
  });
});

describe("metadata", () => {
  test("what the launch asked for", () => {
    insertToken(temp, "ONE", { description: "a text", imageUrl: "https://example.com/1.png" });
    expect(temp.store.tokens.metadata("mint-ONE")).toEqual({
      name: "ONE token",
      ticker: "ONE",
      description: "a text",
      imageUrl: "https://example.com/1.png",
    });
    expect(temp.store.tokens.metadata("mint-TWO")).toBeNull();
  });

  test("it is known once the launch is signed, before it is settled", () => {
    const eventId = insertLaunch(temp, "ONE");
    lease(temp, "holder");
    expect(temp.store.tokens.metadata("mint-ONE")).toBeNull();
    temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"), "2026-03-01");
    expect(temp.store.tokens.metadata("mint-ONE")?.ticker).toBe("ONE");
    expect(temp.store.tokens.findAny("mint-ONE")).toBeNull();
  });
});
