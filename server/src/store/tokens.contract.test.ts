import { describe, expect, test } from "bun:test";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newAttempt, WHOLE_LIST } from "./testing/rows.ts";

const tickers = (rows: readonly { readonly ticker: string }[]) => rows.map(({ ticker }) => ticker);

describeStore("tokens", (at) => {
  /** Inserts one token a day, because an agent may launch one a day. */
  const insertTokens = async (...names: string[]) => {
    for (const ticker of names) {
      await at.insertToken(ticker);
      await at.advance(DAY_MS);
    }
  };

  test("a list holds a wallet's own tokens, newest first", async () => {
    await insertTokens("ONE", "TWO");
    await at.insertToken("OTHER", { wallet: "other" });
    expect(tickers((await at.store.tokens.page("agent", WHOLE_LIST)).rows)).toEqual(["TWO", "ONE"]);
    expect((await at.store.tokens.page("stranger", WHOLE_LIST)).rows).toEqual([]);
  });

  test("the latest tokens are those of all wallets, newest first", async () => {
    await insertTokens("ONE", "TWO");
    await at.insertToken("OTHER", { wallet: "other" });
    expect(tickers(await at.store.tokens.latest(2))).toEqual(["OTHER", "TWO"]);
  });

  test("find returns a wallet's own tokens only, findAny those of all wallets", async () => {
    const { tokenMint } = await at.insertToken("ONE");
    expect((await at.store.tokens.find("agent", tokenMint))?.ticker).toBe("ONE");
    expect(await at.store.tokens.find("other", tokenMint)).toBeNull();
    expect((await at.store.tokens.findAny(tokenMint))?.ticker).toBe("ONE");
    for (const mint of ["mint", ""]) {
      expect(await at.store.tokens.findAny(mint)).toBeNull();
      expect(await at.store.tokens.metadata(mint)).toBeNull();
    }
  });

  test("the tokens of all wallets are read in order, each once", async () => {
    await at.insertToken("ONE", { imageHash: "their image" });
    await at.insertToken("TWO", { wallet: "other" });
    const seen = [];
    for (let after = 0; ; ) {
      const page = await at.store.tokens.after(after, 2);
      seen.push(...page);
      after = page.at(-1)?.id ?? 0;
      if (page.length < 2) break;
    }
    const ids = seen.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(seen.map((token) => [token.tokenMint, token.poolAddress, token.imageHash])).toEqual([
      ["mint-UNSUCC", "pool-UNSUCC", null],
      ["mint-ONE", "pool-ONE", "their image"],
      ["mint-TWO", "pool-TWO", null],
    ]);
  });

  test("a token's costs are what its launch and its migration set aside last", async () => {
    const launch = await at.take("ONE");
    const { eventId } = launch;
    const cost = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: null };
    await at.reserve(eventId, 12n);
    const attempt = newAttempt("ONE");
    await at.launches.recordAttempt(eventId, "holder", attempt);
    await at.launches.succeed(launch, { leaseId: "holder" }, attempt);
    const { poolMigrations, tokens } = at.store;
    const lease = { id: "lease", ms: 60_000 };
    await poolMigrations.lease("mint-ONE", lease);
    await poolMigrations.reserve("mint-ONE", lease.id, { ...cost, lamports: 32n });
    expect((await tokens.after(0, 10)).at(-1)).toMatchObject({ migrationLamports: null });
    await poolMigrations.finish("mint-ONE", lease.id);
    const costs = await tokens.after(0, 10);
    expect(costs).toMatchObject([
      { launchLamports: null, migrationLamports: null },
      { launchLamports: 12n, migrationLamports: 32n },
    ]);
  });

  describe("with its launch", () => {
    test("a token has the signature and terms of its launch", async () => {
      const launch = await at.take("ONE");
      const { eventId } = launch;
      const attempt = newAttempt("ONE");
      await at.launches.recordAttempt(eventId, "holder", attempt);
      expect(await at.store.tokens.withLaunch("mint-ONE")).toBeNull();
      await at.launches.succeed(launch, { leaseId: "holder" }, attempt);
      expect(await at.store.tokens.withLaunch("mint-ONE")).toMatchObject({
        ...{ eventId, wallet: "agent", ticker: "ONE" },
        signature: attempt.signature,
        poolTerms: attempt.terms,
      });
    });
  });

  describe("pages", () => {
    test("join up to the whole list", async () => {
      await insertTokens("A1", "B2", "C3", "D4", "E5");
      const seen: string[] = [];
      let before: number | null = null;
      do {
        const page = await at.store.tokens.page("agent", { limit: 2, before: before });
        seen.push(...tickers(page.rows));
        before = page.next;
      } while (before !== null);
      expect(seen).toEqual(["E5", "D4", "C3", "B2", "A1"]);
    });

    test("end with the one that holds the last token", async () => {
      await insertTokens("A1", "B2");
      expect((await at.store.tokens.page("agent", { limit: 2, before: null })).next).toBeNull();
      expect((await at.store.tokens.page("agent", { limit: 1, before: null })).next).not.toBeNull();
      expect(await at.store.tokens.page("stranger", { limit: 1, before: null })).toEqual({
        rows: [],
        next: null,
      });
    });
  });

  describe("metadata", () => {
    test("holds what the launch asked for", async () => {
      const imageUrl = "https://example.com/1.png";
      const links = {
        website: "https://example.com",
        twitter: "https://x.com/example",
        telegram: "https://t.me/example",
      };
      await at.insertToken("ONE", { description: "a text", imageUrl, ...links });
      expect(await at.store.tokens.metadata("mint-ONE")).toEqual({
        name: "ONE token",
        ticker: "ONE",
        description: "a text",
        imageUrl,
        ...links,
        wallet: "agent",
        // Stored as by a version without terms.
        poolTerms: null,
        status: "success",
        isHidden: false,
      });
      expect(await at.store.tokens.metadata("mint-TWO")).toBeNull();
    });

    test("is known once the launch is signed, before it is settled", async () => {
      const { eventId } = await at.take("ONE");
      expect(await at.store.tokens.metadata("mint-ONE")).toBeNull();
      await at.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
      expect(await at.store.tokens.metadata("mint-ONE")).toMatchObject({
        ticker: "ONE",
        poolTerms: newAttempt("ONE").terms,
        status: "pending",
      });
      expect(await at.store.tokens.findAny("mint-ONE")).toBeNull();
    });
  });
});
