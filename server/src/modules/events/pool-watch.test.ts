import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { getPriceFromSqrtPrice as getLiquidityPrice } from "@meteora-ag/cp-amm-sdk";
import { getPriceFromSqrtPrice, TokenDecimal } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { getMint, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import { type Connection, Keypair } from "@solana/web3.js";
import BN from "bn.js";
import { createLog } from "../../base/log.ts";
import { priceInSol, type TokenRef, type WatchOutcome } from "../../domain/token.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import { Journal } from "../../launchpad/chain/testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "../../launchpad/chain/testing/test-launchpad.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import { liquidityPoolAddress } from "../../launchpad/meteora/liquidity-reader.ts";
import { launch, openMarket, type TestToken } from "../../launchpad/meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../../launchpad/meteora/testing/programs.ts";
import { meteoraClients } from "../../launchpad/meteora/testing/sdk.ts";
import { buy, buyMigrated, migrate } from "../../launchpad/meteora/testing/trades.ts";
import { signBy, stepTwo } from "../../launchpad/signing/testing/steps.ts";
import type { TokenMarket } from "../../store/markets.ts";
import { newPaid } from "../../store/testing/rows.ts";
import { handOut, insertLaunch, lease, submit } from "../../testing/launches.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { marketRecord } from "../public.ts";
import { PoolWatch, type PoolWatchDeps } from "./pool-watch.ts";

setDefaultTimeout(ON_CHAIN_MS);

const DAY_MS = 86_400_000;
const CUSTOMIZABLE = 6;

let temp: TempStore;
let tickers = 0;
beforeEach(() => {
  temp = tempStore();
});
afterEach(() => temp[Symbol.dispose]());

function watchOf(
  chain: PoolWatchDeps["chain"],
  isShared = false,
  more: Pick<PoolWatchDeps, "onRound"> = {},
): PoolWatch {
  const { watch, handOvers, markets, clock } = temp.store;
  const store = { watch, handOvers, markets, clock, isShared };
  return new PoolWatch({ store, chain, log: createLog("silent"), everyMs: 1, pauseMs: 0, ...more });
}

async function store(wallet: string, token: TokenRef): Promise<void> {
  const ticker = `T${++tickers}`;
  await insertLaunch(temp, ticker, { wallet });
  const launched = await lease(temp, ticker);
  if (!launched) throw new Error("no launch is due");
  await temp.store.launches.succeed(launched, { leaseId: ticker }, token);
  temp.clock.advance(DAY_MS);
}

async function marketOf({ tokenMint }: TokenRef): Promise<TokenMarket> {
  const [market] = await temp.store.markets.of([tokenMint]);
  if (!market) throw new Error("no market");
  return market;
}

const set = (wallet: string, lamports: bigint) => temp.store.watch.setThreshold(wallet, lamports);

async function toldTo(wallet: string): Promise<string[]> {
  const found = await temp.store.events.read(wallet, null, 1_000);
  if (found.kind === "gone") throw new Error("events are gone");
  return found.events.map(({ type }) => type).filter((type) => !type.startsWith("launch."));
}

async function recordClaim(wallet: string, { tokenMint }: TokenRef): Promise<void> {
  const claim = await handOut(temp, crypto.randomUUID(), { wallet, tokenMint });
  await submit(temp, claim);
  const payouts = [{ tokenMint, bondingCurve: 1n, liquidityPool: 0n }];
  const paid = newPaid(claim.messageHash, 1n, temp.clock.now());
  await temp.store.prepared.confirm(claim, { ...paid, payouts });
}

async function frozen(
  read: Launchpad["readPools"],
  of: readonly { readonly wallet: string; readonly token: TokenRef }[],
): Promise<Launchpad["readPools"]> {
  const readings = await read(of.map(({ wallet, token }) => ({ ...token, wallet })));
  return async () => readings;
}

describe("on the embedded chain", () => {
  /** Opens a chain with a stored token of each of two new wallets. */
  async function twoAgents() {
    const chain = testLaunchpad();
    const [mine, theirs] = [Keypair.generate(), Keypair.generate()];
    const tokens = [];
    for (const { publicKey } of [mine, theirs]) {
      const wallet = publicKey.toBase58();
      const token = await chain.launchpad.deploy(order(wallet), new Journal(), never);
      await store(wallet, token);
      tokens.push({ wallet, token });
    }
    const [one, other] = tokens;
    if (!one || !other) throw new Error("two tokens");
    chain.rpc.calls.length = 0;
    const trade = (sol: bigint, token = one.token) =>
      chain.sandbox.trade({ ...token, side: "buy", lamports: sol * SOL });
    return { ...chain, keypair: mine, one, other, trade, watch: watchOf(chain.launchpad) };
  }

  test("fees are told once they reach the threshold, and again after a claim, on curve and in pool", async () => {
    const { one, other, trade, watch, sandbox, launchpad, keypair, chain } = await twoAgents();
    // The fees are a hundredth of each trade.
    await set(one.wallet, SOL / 50n);
    await trade(1n);
    await trade(50n, other.token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual([]);
    await trade(1n);
    await watch.round();
    await trade(5n);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["fees.claimable"]);

    chain.airdrop(keypair.publicKey, SOL);
    const claim = await launchpad.buildClaim(one.wallet, [one.token]);
    if (!claim) throw new Error("there is something to claim");
    await stepTwo(launchpad, signBy(keypair, claim));
    await recordClaim(one.wallet, one.token);
    await sandbox.graduate(one.token);
    await trade(3n);
    // A node that is behind could still show the claimed fees.
    await watch.round();
    const before = await toldTo(one.wallet);
    expect(before).toEqual(["fees.claimable", "claim.confirmed", "token.migrated"]);
    temp.clock.advance(30_000);
    for (let round = 0; round < 2; round++) await watch.round();
    expect(await toldTo(one.wallet)).toEqual([...before, "fees.claimable"]);
    expect(await toldTo(other.wallet)).toEqual([]);
  });

  test("a round asks once for all pools, and once for each agent with a threshold", async () => {
    const { one, other, sandbox, watch, rpc } = await twoAgents();
    for (const { token } of [one, other]) await sandbox.graduate(token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
    rpc.calls.length = 0;
    await watch.round();
    expect(rpc.calls).toEqual(["getMultipleAccounts"]);
    await set(one.wallet, 1n);
    await watch.round();
    expect(rpc.calls).toEqual(Array(3).fill("getMultipleAccounts"));
  });

  test("a trade changes the price, on curve and in pool, and nothing else is written", async () => {
    const { one, other, trade, watch, sandbox } = await twoAgents();
    const seen = async () => {
      await watch.round();
      return await marketOf(one.token);
    };
    const first = await seen();
    expect(first).toMatchObject({ raised: 0n, goal: 85n * SOL, earned: 0n });
    const launchedAt = first.changedAt;
    temp.clock.advance(60_000);
    expect(await seen()).toEqual(first);
    await trade(10n);
    const second = await seen();
    expect(second).toMatchObject({
      raised: (99n * SOL) / 10n,
      earned: SOL / 10n,
      traded: 10n * SOL,
    });
    expect(second.price).toBeGreaterThan(first.price);
    expect(second.changedAt).toBe(launchedAt + 60_000);
    await sandbox.graduate(one.token);
    // The last buy may pay more than the curve needs.
    expect(marketRecord({ ...second, raised: 86n * SOL })).toMatchObject({ missingSOL: 0 });
    const third = await seen();
    expect(third).toMatchObject({ raised: null, goal: 85n * SOL });
    await trade(1n);
    expect((await seen()).price).toBeGreaterThan(third.price);
    expect((await marketOf(other.token)).changedAt).toBe(launchedAt);
  });

  test("a node that is behind does not take a token that has migrated back to its curve", async () => {
    const { one, sandbox, watch, launchpad } = await twoAgents();
    const behind = await launchpad.readPools([{ ...one.token, wallet: one.wallet }]);
    await sandbox.graduate(one.token);
    await watch.round();
    const market = await marketOf(one.token);
    const readPools = async (tokens: readonly unknown[]) => tokens.flatMap(() => behind);
    await watchOf({ ...launchpad, readPools }).round();
    expect(await marketOf(one.token)).toEqual(market);
  });

  test.each([false, true])(
    "fees that go to another wallet without the service are found, and a node that is behind takes nothing back; migrated: %p",
    async (isMigrated) => {
      const { one, other, keypair, chain, sandbox, watch, launchpad } = await twoAgents();
      chain.airdrop(keypair.publicKey, SOL);
      if (isMigrated) await sandbox.graduate(one.token);
      await watch.round();
      const behind = {
        ...launchpad,
        readPools: await frozen(launchpad.readPools, [one, other]),
      };
      const { token } = one;
      const to = Keypair.generate().publicKey.toBase58();
      const built = await launchpad.buildHandOver({ agent: one.wallet, token, to });
      const about = { kind: "hand_over", tokens: [token] } as const;
      await stepTwo(launchpad, signBy(keypair, built, about));

      const holder = async () => (await temp.store.tokens.findAny(token.tokenMint))?.holder;
      for (let round = 0; round < 2; round++) await watch.round();
      expect(await holder()).toBe(to);
      expect((await toldTo(one.wallet)).at(-1)).toBe("token.handed_over");
      const told = await toldTo(one.wallet);
      temp.clock.advance(29_000);
      await watchOf(behind).round();
      expect(await holder()).toBe(to);
      expect(await toldTo(one.wallet)).toEqual(told);
      expect(await toldTo(to)).toEqual([]);
    },
  );

  test("a pool that cannot be read keeps none of the others back", async () => {
    const { one, sandbox, watch } = await twoAgents();
    const missing = Keypair.generate().publicKey.toBase58();
    await store("lost", { tokenMint: missing, poolAddress: missing });
    await sandbox.graduate(one.token);
    await watch.round();
    expect(await toldTo(one.wallet)).toEqual(["token.migrated"]);
    expect(await toldTo("lost")).toEqual([]);
  });

  test("a round reads the chain every half second at most", async () => {
    const { launchpad: chain } = await twoAgents();
    const log = createLog("silent");
    const round = new PoolWatch({ store: temp.store, chain, log, everyMs: 1 }).round();
    await temp.clock.pass(500);
    await round;
  });

  test("of several servers one reads the chain until its lease has run out or a round fails, and each round that is whole or failed is reported", async () => {
    const { launchpad, rpc } = await twoAgents();
    const ended: WatchOutcome[] = [];
    const onRound = (outcome: WatchOutcome) => void ended.push(outcome);
    const [watch, other] = [0, 1].map(() => watchOf(launchpad, true, { onRound }));
    if (!watch || !other) throw new Error("two servers");
    rpc.spoilNext("getMultipleAccounts", "500");
    await expect(watch.round()).rejects.toBeInstanceOf(ChainUnavailableError);
    // Another server, whose nodes may work, watches next.
    await other.round();
    expect(ended).toEqual(["failed", "done"]);
    temp.clock.advance(3_600_000);
    await watch.round();
    const { length } = rpc.calls;
    await other.round();
    expect(rpc.calls).toHaveLength(length);
    await watch.stop();
    // A round that is cut short does not count.
    await watch.round();
    temp.clock.advance(3_600_000);
    await other.round();
    expect(ended).toEqual(["failed", "done", "done", "other_server", "done"]);
  });
});

describeMeteora("on Meteora's real programs", () => {
  const asSol = (price: bigint) => Number(priceInSol(price).toPrecision(15));

  /** Compares a token's price and worth on its curve with those of Meteora's SDK. */
  async function expectPrice(connection: Connection, { pool, mint, ref }: TestToken) {
    const account = await meteoraClients(connection).curve.state.getPool(pool);
    if (!account) throw new Error("no pool");
    const { sqrtPrice } = account.poolState;
    const price = getPriceFromSqrtPrice(sqrtPrice, TokenDecimal.SIX, TokenDecimal.NINE);
    const market = await marketOf(ref);
    expect(asSol(market.price)).toBe(price.toSignificantDigits(15).toNumber());
    const { supply } = await getMint(connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID);
    const worth = sqrtPrice.mul(sqrtPrice).mul(new BN(supply.toString())).shrn(128);
    expect(market.marketCap.toString()).toBe(worth.toString());
  }

  test("fees, prices and migrations come from Meteora's accounts, on the curve and after it", async () => {
    const { launchpad, trader } = await openMarket({});
    const { cluster, program } = launchpad;
    const { connection } = cluster;
    const watch = watchOf(program);
    const agent = cluster.wallet(SOL).publicKey;
    const wallet = agent.toBase58();
    const token = await launch(launchpad, agent);
    await store(wallet, token.ref);
    await set(wallet, SOL / 100n);
    await watch.round();
    await expectPrice(connection, token);
    expect(await marketOf(token.ref)).toMatchObject({ raised: 0n });
    expect(await toldTo(wallet)).toEqual([]);
    await buy(connection, { pool: token.pool, trader }, 5n * SOL);
    await watch.round();
    expect(await toldTo(wallet)).toEqual(["fees.claimable"]);
    await expectPrice(connection, token);

    await buy(connection, { pool: token.pool, trader }, 400n * SOL);
    await migrate(connection, token.pool, trader);
    const pool = liquidityPoolAddress(CUSTOMIZABLE, token.mint);
    await buyMigrated(connection, { pool, trader }, 10n * SOL);
    await watch.round();
    expect(await toldTo(wallet)).toEqual(["fees.claimable", "token.migrated"]);
    const { sqrtPrice } = await meteoraClients(connection).liquidity.fetchPoolState(pool);
    const migrated = await marketOf(token.ref);
    expect(migrated.raised).toBeNull();
    const unit = getLiquidityPrice(sqrtPrice, 6, 9);
    expect(asSol(migrated.price)).toBe(unit.toSignificantDigits(15).toNumber());
  });
});
