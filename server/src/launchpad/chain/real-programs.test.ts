import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { systemClock } from "../../base/clock.ts";
import { ChainUnavailableError, InsufficientSolError, LaunchWalletError } from "../errors.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { buy } from "../meteora/testing/curve-trades.ts";
import { openLaunchpad, programFor, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { tradedAfterMigration } from "../meteora/testing/token-life.ts";
import { readable } from "../testing/readable.ts";
import { type ChainLaunchpad, chainLaunchpad } from "./chain-launchpad.ts";
import { Journal, MemoryBook } from "./testing/journal.ts";
import { never, order, SOL, signClaim, WIDE_LIMITS } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("on Meteora's real programs", () => {
  let meteora: TestLaunchpad;

  beforeAll(async () => {
    meteora = await openLaunchpad(await openCluster());
  });

  function open(wallet = meteora.launchWallet, config = meteora.config): ChainLaunchpad {
    return chainLaunchpad({
      connection: meteora.cluster.connection,
      wallet,
      program: programFor(meteora.cluster, wallet, config),
      clock: systemClock,
      limits: WIDE_LIMITS,
      feeCaps: WIDE_LIMITS,
      confirmer: { tickMs: 1 },
    });
  }

  test("a launch takes four requests and a tick, and is booked to the lamport", async () => {
    const launchpad = open();
    const { chain, calls } = meteora.cluster;
    const before = chain.getBalance(meteora.launchWallet.publicKey);
    // A server's first probe reads the config, which never changes.
    await launchpad.probe();
    calls.clear();
    const book = new MemoryBook();
    const token = await launchpad.deploy(order(), new Journal(book), never);
    expect(Object.fromEntries(calls)).toEqual({
      getMultipleAccounts: 1,
      simulateTransaction: 1,
      getRecentPrioritizationFees: 1,
      sendTransaction: 1,
      getSignatureStatuses: 1,
    });
    expect(before - chain.getBalance(meteora.launchWallet.publicKey)).toBe(book.spentToday());
    expect(chain.getAccount(token.poolAddress)).not.toBeNull();
  });

  test("a claim of both kinds of fees pays what was claimable", async () => {
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
    test(`a launch wallet of ${lamports} lamports postpones launches`, async () => {
      const wallet = lamports > 0n ? meteora.cluster.wallet(lamports) : Keypair.generate();
      const deploying = open(wallet).deploy(order(), new Journal(), never);
      await expect(deploying).rejects.toBeInstanceOf(LaunchWalletError);
    });
  }

  test("a missing config postpones launches", async () => {
    const launchpad = open(meteora.launchWallet, Keypair.generate().publicKey);
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(deploying).rejects.toThrow("is not on this cluster");
  });

  /** A token with fees whose agent owns no SOL. */
  async function tokenOfPoorAgent() {
    const launchpad = open();
    const { chain, connection } = meteora.cluster;
    const agent = Keypair.generate();
    const wallet = agent.publicKey.toBase58();
    const trader = meteora.cluster.wallet(10n * SOL);
    const token = await launchpad.deploy(order(wallet), new Journal(), never);
    const pool = new PublicKey(token.poolAddress);
    return {
      launchpad,
      agent,
      wallet,
      token,
      /** Earns fees for the agent. */
      buySome: () => buy(connection, { pool, trader }, SOL),
      /** Sets the agent's balance. */
      hold: (lamports: bigint) =>
        chain.setAccount(wallet, { lamports, owner: SystemProgram.programId }),
    };
  }

  test("lamports at the token account's address pay its rent, and no other's", async () => {
    const { launchpad, agent, wallet, token, buySome, hold } = await tokenOfPoorAgent();
    await buySome();
    const mint = new PublicKey(token.tokenMint);
    meteora.cluster.chain.airdrop(getAssociatedTokenAddressSync(mint, agent.publicKey), 3_000_000n);
    const required = 5_000n + 2_039_280n;
    hold(required - 1n);
    await expect(launchpad.buildClaim(wallet, token)).rejects.toMatchObject({ required });
    hold(required);
    expect(await launchpad.buildClaim(wallet, token)).not.toBeNull();
  });

  test("an agent without SOL learns what a claim takes, to the lamport", async () => {
    const { launchpad, agent, wallet, token, buySome, hold } = await tokenOfPoorAgent();
    // The agent's account for the token stays after the first claim, the one for SOL never does.
    for (const rent of [2n * 2_039_280n, 2_039_280n]) {
      await buySome();
      const required = 5_000n + rent;
      for (const balance of [0n, required - 1n]) {
        hold(balance);
        const building = launchpad.buildClaim(wallet, token);
        await expect(building).rejects.toBeInstanceOf(InsufficientSolError);
        await expect(building).rejects.toMatchObject({ required, balance });
      }
      hold(required);
      const claim = await launchpad.buildClaim(wallet, token);
      if (!claim) throw new Error("there is something to claim");
      const confirmed = await launchpad.submitClaim(signClaim(claim, agent, token), never);
      expect(meteora.cluster.chain.getBalance(wallet)).toBe(2_039_280n + confirmed.paidLamports);
    }
  });
});
