import { beforeEach, expect, test } from "bun:test";
import type { HandOverRow } from "./prepared.ts";
import { describeStore } from "./testing/contract.ts";
import { newPaid, WHOLE_LIST } from "./testing/rows.ts";

const MINT = "mint-ONE";

describeStore("hand-overs", (at) => {
  beforeEach(async () => void (await at.insertToken("ONE")));

  const events = async (wallet: string) => {
    const found = await at.store.events.read(wallet, null, 100);
    if (found.kind === "gone") throw new Error("events are gone");
    return found.events
      .filter(({ type }) => !type.startsWith("launch"))
      .map(({ type, transactionHash }) => `${type} ${transactionHash}`);
  };
  const mintsOf = async (wallet: string, which: "launched" | "all" = "all") =>
    (await at.store.tokens.page(wallet, WHOLE_LIST, which)).rows.map(({ tokenMint }) => tokenMint);
  const token = () => at.store.tokens.findAny(MINT);

  const sent = async (wallet: string, handedTo: string) =>
    (await at.submitted(`${wallet} to ${handedTo}`, {
      ...{ kind: "hand_over", wallet, handedTo },
    })) as HandOverRow;
  const claimed = (wallet: string) => at.submitted(`claim ${wallet} ${at.now()}`, { wallet });
  const handOver = async (wallet: string, to: string) =>
    at.store.handOvers.confirm(await sent(wallet, to), at.now());
  const accept = (wallet: string) => at.store.handOvers.accept(wallet, MINT);

  const waiting = async (wallet: string) =>
    (await at.store.tokens.page(wallet, { limit: 9, before: null }, "waiting")).rows.map(
      (row) => row.tokenMint,
    );

  test("a token goes to another wallet, which has it once it accepts it", async () => {
    await handOver("agent", "newCreator");
    expect(await events("agent")).toEqual(["token.handed_over of agent to newCreator"]);
    expect(await mintsOf("agent", "launched")).toEqual([MINT]);
    expect(await mintsOf("newCreator")).toEqual([]);
    expect(await at.store.tokens.find("another", MINT)).toBeNull();
    expect(await waiting("newCreator")).toEqual([MINT]);

    expect(await accept("another")).toBe(false);
    expect([await accept("newCreator"), await accept("newCreator")]).toEqual([true, true]);
    expect(await mintsOf("newCreator")).toEqual([MINT]);
    expect(await mintsOf("newCreator", "launched")).toEqual([]);
    expect(await at.store.tokens.find("newCreator", MINT)).toMatchObject({ wallet: "agent" });
    expect(await waiting("newCreator")).toEqual([]);
    expect(await events("newCreator")).toEqual([]);
  });

  test("pages with received tokens have each token once, in the order of all", async () => {
    await at.insertToken("TWO", { wallet: "newCreator" });
    await at.insertToken("THREE", { wallet: "third" });
    await handOver("agent", "newCreator");
    await accept("newCreator");
    const { tokens } = at.store;
    const first = await tokens.page("newCreator", { limit: 1, before: null }, "all");
    const second = await tokens.page("newCreator", { limit: 1, before: first.next }, "all");
    expect([...first.rows, ...second.rows].map(({ ticker }) => ticker)).toEqual(["TWO", "ONE"]);
    expect(second.next).toBeNull();
  });

  test("a confirmed one is recorded once, and pays nothing", async () => {
    const row = await sent("agent", "newCreator");
    const { handOvers, prepared: claims } = at.store;
    await handOvers.confirm(row, 2_000);
    await handOvers.confirm(row, 3_000);
    expect(await claims.read(row.id)).toMatchObject({
      ...{ status: "confirmed", confirmedAt: 2_000, paidLamports: 0n, paidSeq: null },
      ...{ leaseId: null, transaction: null },
    });
    expect(await events("agent")).toHaveLength(1);
    const part = { tokenMint: null, limit: null, before: null };
    expect((await claims.history("agent", part)).rows).toEqual([]);
    expect((await claims.paidByToken("agent")).size).toBe(0);
  });

  test("one that is under way leaves the sums of claims whole, and adds no event if it expires", async () => {
    const row = await sent("agent", "newCreator");
    const { prepared: claims } = at.store;
    expect((await claims.paidByToken("agent")).size).toBe(0);
    await claims.withdraw(row.id, "holder", { at: at.now(), reason: "expired" });
    expect(await events("agent")).toEqual([]);
    expect(await token()).toMatchObject({ holder: null, heldSince: null });
  });

  test.each([
    ["was not sent", null, "newCreator"],
    ["was sent to another wallet", "newCreator", "other"],
  ])(
    "one that the chain shows, and that %s, is recorded and told once without a transaction",
    async (_, sentTo, actual) => {
      if (sentTo !== null) await sent("agent", sentTo);
      const seen = { tokenMint: MINT, known: "agent", actual };
      await at.store.handOvers.found(seen);
      await at.store.handOvers.found(seen);
      expect(await token()).toMatchObject({ holder: actual, acceptedAt: null });
      expect(await events("agent")).toEqual(["token.handed_over null"]);
      expect(await events(actual)).toEqual([]);
    },
  );

  test("one that is sent and that the chain shows first is told once", async () => {
    const row = await sent("agent", "newCreator");
    await at.store.handOvers.found({ tokenMint: MINT, known: "agent", actual: "newCreator" });
    expect(await events("agent")).toEqual([]);
    await accept("newCreator");
    await at.store.handOvers.confirm(row, at.now());
    expect(await events("agent")).toEqual(["token.handed_over of agent to newCreator"]);
    expect(await mintsOf("newCreator")).toEqual([MINT]);
  });

  test("one that is recorded late does not take a token back from the next wallet", async () => {
    const late = await sent("agent", "newCreator");
    const { handOvers } = at.store;
    await handOvers.found({ tokenMint: MINT, known: "agent", actual: "newCreator" });
    await handOver("newCreator", "third");
    await handOvers.confirm(late, at.now());
    expect(await token()).toMatchObject({ holder: "third" });
    expect(await events("newCreator")).toEqual(["token.handed_over of newCreator to third"]);
  });

  test("one that is recorded late does not take a token from the wallet that has got it back", async () => {
    const late = await sent("agent", "newCreator");
    const { handOvers } = at.store;
    await handOvers.found({ tokenMint: MINT, known: "agent", actual: "newCreator" });
    await handOver("newCreator", "agent");
    await handOvers.confirm(late, at.now());
    expect(await token()).toMatchObject({ holder: null });
    await handOver("agent", "third");
    expect(await token()).toMatchObject({ holder: "third" });
  });

  test("a wallet that passes on what it has not accepted hears of it only if it did so here", async () => {
    await handOver("agent", "newCreator");
    await at.store.handOvers.found({ tokenMint: MINT, known: "newCreator", actual: "third" });
    expect(await events("newCreator")).toEqual([]);
    expect(await waiting("third")).toEqual([MINT]);
  });

  test("a token that comes back is its agent's as before, and no longer the other's", async () => {
    await handOver("agent", "newCreator");
    await accept("newCreator");
    await handOver("newCreator", "agent");
    expect(await token()).toMatchObject({ holder: null, acceptedAt: null });
    expect(await mintsOf("agent")).toEqual([MINT]);
    expect(await mintsOf("newCreator")).toEqual([]);
    expect(await events("newCreator")).toEqual(["token.handed_over of newCreator to agent"]);
    expect(await waiting("agent")).toEqual([]);
  });

  const had = async (wallet: string) =>
    [
      ...(await at.store.handOvers.hadTokens(
        wallet,
        [MINT, "mint-TWO", "mint-NONE"].map((tokenMint) => ({ tokenMint })),
      )),
    ].sort();

  test("a claim accepts a token, and is in the history of its wallet alone", async () => {
    const first = await claimed("agent");
    await at.store.prepared.confirm(first, newPaid("first", 5n, 1_000));
    await handOver("agent", "newCreator");
    const claim = await claimed("newCreator");
    await at.store.prepared.confirm(claim, newPaid("second", 7n, 2_000));
    expect(await mintsOf("newCreator")).toEqual([MINT]);
    expect(await token()).toMatchObject({ acceptedAt: 2_000 });
    expect(await events("newCreator")).toEqual(["claim.confirmed second"]);
    for (const [wallet, paid] of [
      ["agent", 5n],
      ["newCreator", 7n],
    ] as const) {
      expect((await at.store.prepared.paidByToken(wallet)).get(MINT)?.bondingCurve).toBe(paid);
      expect(await had(wallet)).toEqual([MINT]);
    }
    expect(await had("third")).toEqual([]);
  });

  test("a wallet has had each token that a claim of several has paid it for", async () => {
    await at.insertToken("TWO", { wallet: "third" });
    const payouts = ["mint-TWO", MINT].map((tokenMint) => ({
      ...{ tokenMint, bondingCurve: 1n, liquidityPool: 0n },
    }));
    const claim = await claimed("newCreator");
    const both = { ...claim, tokenMint: "mint-TWO", otherMints: [MINT] };
    await at.store.prepared.confirm(both, { ...newPaid("both", 2n, 1_000), payouts });
    expect(await had("newCreator")).toEqual([MINT, "mint-TWO"]);
    expect(await had("third")).toEqual([]);
  });

  test("the events of a token go to the wallet that has accepted it, by its own thresholds", async () => {
    const { watch } = at.store;
    for (const [wallet, lamports] of [
      ["agent", 3n],
      ["newCreator", 4n],
    ] as const) {
      await watch.setThreshold(wallet, lamports);
    }
    const watched = async () =>
      (await watch.all(0, 100)).find(({ tokenMint }) => tokenMint === MINT);
    await handOver("agent", "newCreator");
    expect(await watched()).toMatchObject({ wallet: "newCreator", threshold: null });
    await accept("newCreator");
    const seen = await watched();
    expect(seen).toMatchObject({ wallet: "newCreator", threshold: 4n });
    expect(seen && (await watch.tellFees(seen))).toBe(true);
    expect(await watch.migrate(MINT)).toBe(true);
    expect(await events("newCreator")).toEqual(["fees.claimable null", "token.migrated null"]);
    expect(await events("agent")).toEqual(["token.handed_over of agent to newCreator"]);
    expect(await watch.migratedOf("agent", 0, 9)).toEqual([]);
    expect(await watch.migratedOf("newCreator", 0, 9)).toHaveLength(1);
  });

  test("a token that waits to be accepted raises no event when it migrates", async () => {
    await handOver("agent", "newCreator");
    expect(await at.store.watch.migrate(MINT)).toBe(true);
    expect(await events("agent")).toHaveLength(1);
    expect(await events("newCreator")).toEqual([]);
  });
});
