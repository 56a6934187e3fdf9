import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair, PublicKey } from "@solana/web3.js";
import { systemClock } from "../../clock.ts";
import { ChainLaunchpad } from "../chain-launchpad.ts";
import { ChainUnavailableError, ClaimBuildError, LaunchWalletError } from "../errors.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { buy } from "../meteora/testing/curve-trades.ts";
import { openLaunchpad, programFor, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { tradedAfterMigration } from "../meteora/testing/token-life.ts";
import { readable } from "../testing/readable.ts";
import { Journal, never, order, SOL, signClaim } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("on Meteora's real programs", () => {
  let meteora: TestLaunchpad;
  let spent = 0n;

  beforeAll(async () => {
    meteora = await openLaunchpad(await openCluster());
  });

  function open(wallet = meteora.launchWallet, config = meteora.config): ChainLaunchpad {
    spent = 0n;
    return new ChainLaunchpad({
      connection: meteora.cluster.connection,
      wallet,
      program: programFor(meteora.cluster, wallet, config),
      clock: systemClock,
      spendBook: {
        spentToday: () => spent,
        record: (lamports) => {
          spent += lamports;
        },
      },
      limits: {
        minWalletLamports: 0n,
        maxDailySpendLamports: null,
        maxPriorityMicroLamports: 1_000_000n,
        maxTransactionFeeLamports: 1_000_000n,
      },
      confirmer: { tickMs: 1 },
    });
  }

  test("default: a launch takes four requests and a tick, and is booked to the lamport", async () => {
    const launchpad = open();
    const { chain, calls } = meteora.cluster;
    const before = chain.getBalance(meteora.launchWallet.publicKey);
    calls.clear();
    const token = await launchpad.deploy(order(), new Journal(), never);
    expect(Object.fromEntries(calls)).toEqual({
      getMultipleAccounts: 1,
      simulateTransaction: 1,
      getRecentPrioritizationFees: 1,
      sendTransaction: 1,
      getSignatureStatuses: 1,
    });
    expect(before - chain.getBalance(meteora.launchWallet.publicKey)).toBe(spent);
    expect(chain.getAccount(token.poolAddress)).not.toBeNull();
  });

  test("default: a claim of both kinds pays what was claimable", async () => {
    const launchpad = open();
    const trader = meteora.cluster.wallet(2_000n * SOL);
    const { token, agent } = await tradedAfterMigration(meteora, trader);
    const wallet = agent.publicKey.toBase58();
    const [fees] = readable(await launchpad.readFees(wallet, [token.ref]));
    const claimable = (fees?.bondingCurve.claimable ?? 0n) + (fees?.liquidityPool.claimable ?? 0n);
    const claim = await launchpad.buildClaim(wallet, token.ref);
    if (!claim) throw new Error("there is something to claim");
    expect(claim.transaction.length).toBeLessThanOrEqual(1_232);
    const confirmed = await launchpad.submitClaim(signClaim(claim, agent, token.ref), never);
    expect(confirmed.paidLamports).toBe(claimable);
    expect(await launchpad.buildClaim(wallet, token.ref)).toBeNull();
  });

  for (const lamports of [0n, 1_000_000n, 10_000_000n]) {
    test(`behavior: a launch wallet of ${lamports} lamports puts launches off`, async () => {
      const wallet = lamports > 0n ? meteora.cluster.wallet(lamports) : Keypair.generate();
      const deploying = open(wallet).deploy(order(), new Journal(), never);
      await expect(deploying).rejects.toBeInstanceOf(LaunchWalletError);
    });
  }

  test("behavior: a config that is not there puts launches off", async () => {
    const launchpad = open(meteora.launchWallet, Keypair.generate().publicKey);
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(deploying).rejects.toThrow("is not on this cluster");
  });

  test("behavior: an agent without SOL is told what a claim needs", async () => {
    const launchpad = open();
    const agent = Keypair.generate();
    const wallet = agent.publicKey.toBase58();
    const trader = meteora.cluster.wallet(10n * SOL);
    const token = await launchpad.deploy(order(wallet), new Journal(), never);
    const pool = new PublicKey(token.poolAddress);
    await buy(meteora.cluster.connection, { pool, trader }, SOL);
    const building = launchpad.buildClaim(wallet, token);
    await expect(building).rejects.toBeInstanceOf(ClaimBuildError);
    await expect(building).rejects.toThrow("The wallet needs about 0.00204428 SOL more");
  });
});
