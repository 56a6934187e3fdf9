import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { getAssociatedTokenAddressSync, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import { type Keypair, PublicKey } from "@solana/web3.js";
import { claimOf } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { type ConfigTerms, DEFAULT_CONFIG_TERMS, PRESETS } from "./config-terms.ts";
import { feesUnder } from "./create-config.ts";
import { earningsUnder, type FeeSplit, readEarnings } from "./pool-terms.ts";
import { openCluster, type TimedCluster } from "./testing/cluster.ts";
import { launch, openLaunchpad, programFor, SOL, type TestLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { meteoraClients, sdkPositionFee } from "./testing/sdk.ts";
import { send } from "./testing/send.ts";
import { buy, buyMigrated, soldOut } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

const SPENT = 10n * SOL;
/** The largest that a launch can have. */
const LONGEST = { name: "n".repeat(255), ticker: "T".repeat(10) };
const LONGEST_URL = `https://${"a".repeat(133)}`;

/** A cluster of its own, so that nothing else takes time on it. */
async function open(terms: Partial<ConfigTerms>) {
  const cluster = await openCluster();
  return { cluster, launchpad: await openLaunchpad(cluster, terms) };
}

async function poolOf({ connection }: TimedCluster, address: PublicKey) {
  const found = await meteoraClients(connection).curve.state.getPool(address);
  if (!found) throw new Error(`there is no pool ${address}`);
  return found.poolState;
}

describeMeteora("the money of a token's first hour", () => {
  /** An agent's own launch, with its first buy; signed and paid by it. */
  async function launchOwn({ cluster, launchWallet, config }: TestLaunchpad, agent: Keypair) {
    const program = programFor(cluster, launchWallet, config, LONGEST_URL);
    const firstBuy = { lamports: SPENT, minUnits: 1n };
    const wallet = agent.publicKey.toBase58();
    const order = { ...LONGEST, eventId: "own", wallet, payer: "agent", firstBuy } as const;
    const { instructions, signers } = await program.launch(order);
    const signature = await send(cluster.connection, instructions, [agent, ...signers]);
    // With room for the compute budget.
    expect(cluster.chain.getTransaction(signature)?.bytes.length).toBeLessThanOrEqual(1_232 - 60);
    return new PublicKey(program.addresses(order.eventId).poolAddress);
  }

  type Who = "agent" | 0 | 60 | 3600;
  /** How 10 SOL split between curve, agent, operator and Meteora, and the units that they buy. */
  type Shares = readonly [bigint, bigint, bigint, bigint, bigint];
  const ONE_PERCENT: Shares = [
    9_900_000_000n,
    64_000_000n,
    16_000_000n,
    20_000_000n,
    254_433_300_143_397n,
  ];
  const HALF: Shares = [
    5_000_000_000n,
    3_200_000_000n,
    800_000_000n,
    1_000_000_000n,
    144_927_531_596_599n,
  ];
  /** The agent in its own launch, or a buyer this many seconds after it. */
  const rows: Readonly<Record<keyof typeof PRESETS, readonly (readonly [Who, Shares])[]>> = {
    plain: [
      ["agent", ONE_PERCENT],
      [0, ONE_PERCENT],
      [60, ONE_PERCENT],
      [3600, ONE_PERCENT],
    ],
    fair: [
      ["agent", HALF],
      [0, HALF],
      [60, [6_616_500_130n, 2_165_439_916n, 541_359_980n, 676_699_974n, 184_022_458_802_286n]],
      [3600, [9_899_322_690n, 64_433_478n, 16_108_370n, 20_135_462n, 254_419_878_890_049n]],
    ],
    patient: [
      ["agent", ONE_PERCENT],
      [0, [7_500_000_000n, 1_600_000_000n, 400_000_000n, 500_000_000n, 204_081_626_406_620n]],
      [60, [7_524_000_000n, 1_584_640_000n, 396_160_000n, 495_200_000n, 204_614_424_441_741n]],
      [3600, ONE_PERCENT],
    ],
  };

  describe.each(["plain", "fair", "patient"] as const)("under the preset %s", (preset) => {
    let launchpad: TestLaunchpad;
    let cluster: TimedCluster;
    beforeAll(async () => {
      ({ cluster, launchpad } = await open({ ...PRESETS[preset], creatorShare: 80 }));
    });

    test.each(rows[preset])("of who buys: %s", async (who, shares) => {
      const { connection } = cluster;
      const buyer = cluster.wallet(20n * SOL);
      let pool: PublicKey;
      if (who === "agent") pool = await launchOwn(launchpad, buyer);
      else {
        pool = (await launch(launchpad, cluster.wallet(SOL).publicKey)).pool;
        cluster.clock.advance(who * 1000);
        await buy(connection, { pool, trader: buyer }, SPENT);
      }
      const state = await poolOf(cluster, pool);
      const { creatorQuoteFee, partnerQuoteFee, protocolQuoteFee, quoteReserve, baseMint } = state;
      const { publicKey } = buyer;
      const holding = getAssociatedTokenAddressSync(
        baseMint,
        publicKey,
        false,
        TOKEN_2022_PROGRAM_ID,
      );
      const { amount } = (await connection.getTokenAccountBalance(holding)).value;
      const money = [quoteReserve, creatorQuoteFee, partnerQuoteFee, protocolQuoteFee, amount];
      expect(money.map((one) => BigInt(`${one}`))).toEqual([...shares]);

      // What operators see before the config is created, and then from the chain.
      const {
        partner,
        terms: ofPool,
        ...earnings
      } = await readEarnings(connection, launchpad.config);
      const terms = { ...DEFAULT_CONFIG_TERMS, ...PRESETS[preset], creatorShare: 80 };
      expect(earningsUnder(feesUnder(terms))).toEqual(earnings);
      const { curve, later, firstBuy } = earnings;
      const hour = later.findLast(({ seconds }) => seconds <= Number(who)) ?? curve;
      const said: FeeSplit = who === "agent" ? (firstBuy ?? curve) : hour;
      const percents = [100 - said.fee, said.agent, said.partner, said.protocol];
      for (const [index, percent] of percents.entries()) {
        expect((Number(SPENT) * percent) / 100).toBeCloseTo(Number(shares[index]), -1);
      }
    });
  });

  test("what volatility adds is more than nothing, and no more than operators are shown", async () => {
    const { cluster, launchpad } = await open(PRESETS.patient);
    const { pool } = await launch(launchpad, cluster.wallet(SOL).publicKey);
    const trader = cluster.wallet(100n * SOL);
    await buy(cluster.connection, { pool, trader }, SPENT);
    const before = await poolOf(cluster, pool);
    await buy(cluster.connection, { pool, trader }, SPENT);
    const after = await poolOf(cluster, pool);
    const raised = Number(`${after.quoteReserve.sub(before.quoteReserve)}`);
    const percent = 100 * (1 - raised / Number(SPENT));
    const { curve, volatility } = await readEarnings(cluster.connection, launchpad.config);
    expect(percent).toBeGreaterThan(curve.fee);
    expect(percent).toBeLessThanOrEqual(curve.fee + volatility);
  });

  // Meteora's program on clusters allows ten years, and DBC two of them; the build in these tests
  // ends at 438,000 s (its `TIME_BUFFER` is 5 s).
  test("liquidity that vests earns the agent its fees, and can be withdrawn when the time has come", async () => {
    const { cluster, launchpad } = await open({ vestingShare: 30, vestingDays: 5 });
    const { connection, clock } = cluster;
    expect(await launchpad.program.checkConfig()).toBeNull();
    const agent = cluster.wallet(SOL);
    const token = await launch(launchpad, agent.publicKey);
    const trader = cluster.wallet(2_000n * SOL);
    const pool = await soldOut(launchpad, token, trader);
    await buyMigrated(connection, { pool, trader }, SPENT);

    const owed = await sdkPositionFee(connection, pool, agent.publicKey);
    const read = await launchpad.program.readFees(token.order.wallet, [token.ref]);
    expect(readable(read)[0]?.liquidityPool.claimable).toBe(owed);
    const parts = await launchpad.program.claim(token.order.wallet, [token.ref]);
    if (!parts) throw new Error("there is something to claim");
    await send(connection, claimOf(parts), [agent]);
    expect(await sdkPositionFee(connection, pool, agent.publicKey)).toBe(0n);

    const { liquidity } = meteoraClients(connection);
    const withdrawable = async (): Promise<number> => {
      const [found] = await liquidity.getUserPositionByPool(pool, agent.publicKey);
      if (!found) throw new Error("the agent holds no position");
      const { instructions } = await liquidity.refreshVesting({
        owner: agent.publicKey,
        position: found.position,
        positionNftAccount: found.positionNftAccount,
        pool,
        vestingAccounts: [],
      });
      await send(connection, instructions, [agent]);
      const { unlockedLiquidity, vestedLiquidity, permanentLockedLiquidity } =
        await liquidity.fetchPositionState(found.position);
      const all = unlockedLiquidity.add(vestedLiquidity).add(permanentLockedLiquidity);
      return Number(`${unlockedLiquidity.muln(10_000).div(all)}`) / 100;
    };
    const days: number[] = [];
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      days.push(await withdrawable());
      clock.advance(86_400_000);
    }
    expect(days).toEqual([0, 6, 12, 18, 24, 30]);
  });
});
