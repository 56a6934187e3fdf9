import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { type Keypair, SystemProgram } from "@solana/web3.js";
import { systemClock } from "../base/clock.ts";
import { Collector } from "../launchpad/chain/collector.ts";
import { WIDE_LIMITS } from "../launchpad/chain/testing/test-launchpad.ts";
import {
  COLLECT_CRASH_POINTS,
  type CrashPoint,
  type CrashPointName,
} from "../launchpad/crash-point.ts";
import { meteoraPartner } from "../launchpad/meteora/collect.ts";
import {
  launch,
  openMarket,
  SOL,
  storeTokens,
  type TestLaunchpad,
  type TestToken,
} from "../launchpad/meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../launchpad/meteora/testing/programs.ts";
import { sdkCurveFees } from "../launchpad/meteora/testing/sdk.ts";
import { buy } from "../launchpad/meteora/testing/trades.ts";
import type { PartnerProgram } from "../launchpad/pool-program.ts";
import { keypairSigner } from "../solana/wallet-signer.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { type CollectStep, collectAll } from "./collect.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** More than fit into one transaction. */
const TOKENS = 4;
const TRADE = 3n * SOL;

class Crash extends Error {}

describeMeteora("what the operator collects", () => {
  let launchpad: TestLaunchpad;
  let trader: Keypair;
  let partner: PartnerProgram;
  let tokens: TestToken[];
  let temp: TempStore;

  beforeAll(async () => {
    ({ launchpad, trader } = await openMarket({ creatorShare: 80, creationLamports: 20_000_009n }));
    partner = meteoraPartner(launchpad.cluster.connection, launchpad.launchWallet.publicKey);
    tokens = [];
    for (let n = 0; n < TOKENS; n++) {
      const agent = launchpad.cluster.wallet(SOL).publicKey;
      tokens.push(await launch(launchpad, agent, { ticker: `T${n}` }));
    }
  });

  beforeEach(async () => {
    temp = tempStore();
    await storeTokens(temp.store, tokens);
  });
  afterEach(() => temp[Symbol.dispose]());

  const { signal } = new AbortController();
  const balance = () => launchpad.cluster.chain.getBalance(launchpad.launchWallet.publicKey);
  const trade = async () => {
    for (const { pool } of tokens) {
      await buy(launchpad.cluster.connection, { pool, trader }, TRADE);
    }
  };
  async function claimable(): Promise<bigint> {
    const { cluster } = launchpad;
    const all = await Promise.all(
      tokens.map(({ pool }) => sdkCurveFees(cluster.connection, pool, "partner")),
    );
    // Besides its rent, a pool holds what its launch paid, until the partner takes all but a tenth.
    const held = tokens.map(({ pool }) => {
      const { lamports = 0n, data = [] } = cluster.chain.getAccount(pool) ?? {};
      const paid = lamports - cluster.chain.rentExemption(data.length);
      return paid === 20_000_009n ? 18_000_009n : 0n;
    });
    return [...all.map(({ claimable }) => claimable), ...held].reduce((sum, one) => sum + one);
  }
  function run(crashPoint?: CrashPoint) {
    const { connection } = launchpad.cluster;
    const collector = new Collector({
      ...{
        connection,
        wallet: keypairSigner(launchpad.launchWallet),
        program: partner,
        clock: systemClock,
      },
      ledger: temp.store.collections,
      feeCaps: WIDE_LIMITS,
      confirmer: { tickMs: 1 },
      crashPoint,
    });
    return collectAll({ store: temp.store, partner, collector, signal });
  }
  const crashAt =
    (point: CrashPointName): CrashPoint =>
    (name) => {
      if (name === point) throw new Crash(point);
    };
  const endsOf = (steps: readonly CollectStep[]) =>
    steps.flatMap((step) => (step.kind === "ended" ? [step] : []));

  /** Returns the ledger's sums, which must match the chain. */
  async function collected() {
    const ledger = await temp.store.collections.all();
    let lamports = 0n;
    let feeLamports = 0n;
    for (const row of ledger) {
      feeLamports += row.feeLamports ?? 0n;
      lamports += row.paidLamports ?? 0n;
      const ofTokens = row.tokens.reduce((sum, token) => sum + BigInt(token.lamports), 0n);
      expect(ofTokens).toBe(row.paidLamports ?? 0n);
    }
    expect(ledger.every(({ status }) => status === "confirmed")).toBe(true);
    return { lamports, feeLamports, transactions: ledger.length };
  }

  test("is all that is there, in as few transactions as fit, and the ledger says so to the lamport", async () => {
    await trade();
    const [before, there] = [balance(), await claimable()];
    const steps = await run();
    const { lamports, feeLamports, transactions } = await collected();
    expect(lamports).toBe(there);
    expect(balance() - before).toBe(lamports - feeLamports);
    expect(await claimable()).toBe(0n);
    expect(endsOf(steps)).toHaveLength(transactions);
    expect(endsOf(steps).some(({ isEarlier }) => isEarlier)).toBe(false);
    const mints = endsOf(steps).map(({ end }) =>
      end.status === "confirmed" ? end.tokens.length : 0,
    );
    expect(Math.max(...mints)).toBe(3);
    expect(mints.reduce((sum, count) => sum + count)).toBe(TOKENS);

    expect(await run()).toEqual([]);
    expect((await collected()).transactions).toBe(transactions);
  });

  test.each(COLLECT_CRASH_POINTS)(
    "is neither lost nor taken twice if the process dies at %s",
    async (point) => {
      await trade();
      const [before, there] = [balance(), await claimable()];
      await expect(run(crashAt(point))).rejects.toBeInstanceOf(Crash);
      const [first, ...own] = endsOf(await run());
      expect(first?.isEarlier).toBe(point !== "collect.signed");
      expect(own.some(({ isEarlier }) => isEarlier)).toBe(false);
      const { lamports, feeLamports } = await collected();
      expect(lamports).toBe(there);
      expect(balance() - before).toBe(lamports - feeLamports);
      expect(await temp.store.collections.unsettled()).toEqual([]);
      expect(await run()).toEqual([]);
    },
  );

  test("is taken once by runs side by side", async () => {
    await trade();
    const there = await claimable();
    await Promise.allSettled([run(), run(), run()]);
    await run();
    expect((await collected()).lamports).toBe(there);
  });

  test("is left alone if it is less than it costs", async () => {
    const [, poor] = tokens as [TestToken, TestToken];
    const before = balance();
    // The operator's share of this is 16 lamports, less than a signature costs.
    await buy(launchpad.cluster.connection, { pool: poor.pool, trader }, 10_000n);
    expect(await run()).toEqual([]);
    expect(await claimable()).toBeGreaterThan(0n);
    expect(balance()).toBe(before);
    expect(await temp.store.collections.all()).toEqual([]);
  });

  test("says that the launch wallet needs SOL if it cannot pay up front, and sends nothing", async () => {
    await trade();
    const { chain } = launchpad.cluster;
    const { publicKey } = launchpad.launchWallet;
    const held = balance();
    const setBalance = (lamports: bigint) =>
      chain.setAccount(publicKey, { lamports, owner: SystemProgram.programId });
    setBalance(1_000_000n);
    await expect(run()).rejects.toThrow(`The launch wallet ${publicKey} cannot pay`);
    expect(await temp.store.collections.all()).toEqual([]);
    setBalance(held);
    expect(endsOf(await run())).toHaveLength(2);
  });
});
