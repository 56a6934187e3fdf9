import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Keypair } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import {
  claimableOf,
  claimOf,
  type FeeTotals,
  type PartnerProgram,
  type PartnerRevenue,
} from "../pool-program.ts";
import { meteoraPartner } from "./collect.ts";
import { DEFAULT_CONFIG_TERMS } from "./config-terms.ts";
import { configParameters } from "./create-config.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { addSurplus } from "./testing/clone.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { launch, makeConfig, programFor, SOL, type TestToken } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { meteoraClients, sdkCurveFees, sdkPositionFee } from "./testing/sdk.ts";
import { send } from "./testing/send.ts";
import { buy, buyMigrated, migrate, sell } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

const NOTHING: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };
const taken = ({ total }: FeeTotals): FeeTotals => ({ claimable: 0n, claimed: total, total });

/** No amount divides evenly by it. */
const CREATOR_SHARE = 63;

describeMeteora("the operator's revenue", () => {
  let cluster: MeteoraCluster;
  let wallet: Keypair;
  let trader: Keypair;
  let partner: PartnerProgram;
  let young: TestToken;
  let idle: TestToken;
  /** Tokens whose curves got more than they needed, and that migrated and traded. */
  let grown: TestToken[];

  const revenueOf = async ({ ref }: TestToken, by = partner): Promise<PartnerRevenue> => {
    const [revenue] = await by.readRevenue([ref]);
    if (!revenue || "unreadable" in revenue) throw new Error(revenue?.unreadable);
    return revenue;
  };
  const poolAfter = ({ mint }: TestToken) => liquidityPoolAddress(6, mint);

  beforeAll(async () => {
    cluster = await openCluster();
    const { connection } = cluster;
    wallet = cluster.wallet(10n * SOL);
    trader = cluster.wallet(2_000n * SOL);
    partner = meteoraPartner(connection, wallet.publicKey);
    const config = await makeConfig(cluster, wallet, {
      ...configParameters({
        ...DEFAULT_CONFIG_TERMS,
        creatorShare: CREATOR_SHARE,
        creationLamports: 20_000_009n,
      }),
    });
    const launchpad = {
      cluster,
      config,
      launchWallet: wallet,
      program: programFor(cluster, wallet, config),
    };
    const agent = cluster.wallet(SOL);
    young = await launch(launchpad, agent.publicKey);
    idle = await launch(launchpad, agent.publicKey);
    await buy(connection, { pool: young.pool, trader }, 7_123_456_789n);
    await sell(connection, { pool: young.pool, trader }, 1_234_567_654_321n);
    grown = [];
    for (let n = 0; n < 2; n++) {
      const token = await launch(launchpad, agent.publicKey);
      await buy(connection, { pool: token.pool, trader }, 400n * SOL);
      addSurplus(cluster.chain, token.pool, 1_234_567n);
      await migrate(connection, token.pool, trader);
      await buyMigrated(connection, { pool: poolAfter(token), trader }, 10_000_000_001n);
      grown.push(token);
    }
  });

  test("is on the curve what Meteora's SDK says", async () => {
    const revenue = await revenueOf(young);
    expect(revenue).toEqual({
      curve: await sdkCurveFees(cluster.connection, young.pool, "partner"),
      position: NOTHING,
      surplus: NOTHING,
      creationFee: { claimable: 18_000_009n, claimed: 0n, total: 18_000_009n },
    });
    expect(revenue.curve.claimable).toBeGreaterThan(0n);
  });

  test("is after migration what Meteora's SDKs say and pay, to the lamport", async () => {
    const [token] = grown as [TestToken];
    const before = await revenueOf(token);
    expect(before.curve).toEqual(await sdkCurveFees(cluster.connection, token.pool, "partner"));
    const position = await sdkPositionFee(cluster.connection, poolAfter(token), wallet.publicKey);
    expect(before.position).toEqual({ claimable: position, claimed: 0n, total: position });
    const { pool } = token;
    const { publicKey } = wallet;
    const { partner: sdk } = meteoraClients(cluster.connection).curve;
    const { instructions } = await sdk.partnerWithdrawSurplus({ pool, feeClaimer: publicKey });
    const held = cluster.chain.getBalance(publicKey);
    await send(cluster.connection, instructions, [wallet]);
    expect(cluster.chain.getBalance(publicKey) - held + 5_000n).toBe(before.surplus.claimable);
    expect(before.surplus.claimable).toBeGreaterThan(0n);
    expect((await revenueOf(token)).surplus).toEqual(taken(before.surplus));
  });

  test("is taken whole, of several tokens in one transaction, and counts as claimed then", async () => {
    // The first token's revenue has all parts, the last one's only the creation fee.
    for (const tokens of [[grown[1] as TestToken], [young, idle]]) {
      const before = await Promise.all(tokens.map((token) => revenueOf(token)));
      const refs = tokens.map(({ ref }): TokenRef => ref);
      const parts = await partner.collect(refs);
      if (!parts) throw new Error("there is nothing to collect");
      expect(parts.tokens.map(({ lamports }) => lamports)).toEqual(before.map(claimableOf));
      const held = cluster.chain.getBalance(wallet.publicKey);
      await send(cluster.connection, claimOf(parts), [wallet]);
      const expected = before.reduce((sum, revenue) => sum + claimableOf(revenue), 0n);
      const networkFee = 5_000n;
      expect(cluster.chain.getBalance(wallet.publicKey) - held).toBe(expected - networkFee);
      for (const [index, parts] of before.entries()) {
        const claimed = Object.entries(parts).map(([part, totals]) => [part, taken(totals)]);
        expect(await revenueOf(tokens[index] as TestToken)).toMatchObject(
          Object.fromEntries(claimed),
        );
      }
      expect(await partner.collect(refs)).toBeNull();
    }
  });

  test("of another wallet is nothing", async () => {
    const stranger = meteoraPartner(cluster.connection, trader.publicKey);
    expect(await revenueOf(young, stranger)).toMatchObject({ curve: NOTHING });
    expect(claimableOf(await revenueOf(grown[1] as TestToken, stranger))).toBe(0n);
    expect(await stranger.collect([young.ref])).toBeNull();
  });
});
