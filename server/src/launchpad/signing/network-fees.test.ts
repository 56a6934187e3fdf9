import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { type Keypair, SystemProgram } from "@solana/web3.js";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import { type LaunchPayer, TRANSACTION_VERSIONS } from "@tokenctl/shared/words";
import { systemClock } from "../../base/clock.ts";
import { generateKeypair } from "../../base/native-keys.ts";
import type { Signed } from "../../domain/signing.ts";
import { keypairSigner } from "../../solana/wallet-signer.ts";
import { Collector } from "../chain/collector.ts";
import { Journal, MemoryBook, unsent } from "../chain/testing/journal.ts";
import { never, SOL, type WholeLaunchpad, WIDE_LIMITS } from "../chain/testing/test-launchpad.ts";
import { FailedLaunchError } from "../errors.ts";
import { meteoraPartner } from "../meteora/collect.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { traded } from "../meteora/testing/token-life.ts";
import { cosigned, launchpadOn, signBy } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** Lamports of a signature: what is announced, and nothing that anyone would write down. */
const FEES = [2_500n, 7_013n];
const RENT_OF_SOL_ACCOUNT = 2_039_280n;

describeMeteora.each(FEES)("where a signature costs %p lamports", (fee) => {
  let meteora: TestLaunchpad;
  let trader: Keypair;
  let launchpad: WholeLaunchpad;

  beforeAll(async () => {
    meteora = await openLaunchpad(await openCluster({ lamportsPerSignature: fee }), {
      creatorShare: 50,
    });
    trader = meteora.cluster.wallet(5_000n * SOL);
    launchpad = launchpadOn(meteora);
  });

  const balanceOf = ({ publicKey }: Keypair) => meteora.cluster.chain.getBalance(publicKey);
  const hold = ({ publicKey }: Keypair, lamports: bigint) =>
    meteora.cluster.chain.setAccount(publicKey, { lamports, owner: SystemProgram.programId });

  /** Submits as the service does, but does not check before whether it would succeed. */
  const submit = async (signed: Signed) =>
    launchpad.submit(await cosigned(launchpad, signed), unsent, never);

  const newLaunch = (agent: Keypair, payer: LaunchPayer) => {
    const order = { eventId: randomUUID(), wallet: agent.publicKey.toBase58(), payer };
    return { ...order, name: "Agent Coin", ticker: "AGENT" };
  };

  describe.each(TRANSACTION_VERSIONS)("and transactions are %p", (transactionVersion) => {
    test("an agent's launch takes what it was told", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const order = newLaunch(agent, "agent");
      const { cost, token, ...unsigned } = await launchpad.buildLaunch(order, transactionVersion);
      const { version } = readMessage(splitTransaction(unsigned.transaction).message);
      expect(version).toBe(transactionVersion);
      expect(cost.networkFee).toBe(2n * fee);
      const before = balanceOf(agent);
      await submit(signBy(agent, unsigned, { kind: "launch", tokens: [token], order }));
      const { rent, networkFee, creationFee } = cost;
      expect(before - balanceOf(agent)).toBe(rent + networkFee + creationFee);
    });

    test("a launch that failed on chain took from its agent what the record says", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const order = newLaunch(agent, "agent");
      const { token, ...unsigned } = await launchpad.buildLaunch(order, transactionVersion);
      hold(agent, 5_000_000n);
      const sent = submit(signBy(agent, unsigned, { kind: "launch", tokens: [token], order }));
      const failed = await sent.catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(FailedLaunchError);
      const { agentLamports } = failed as FailedLaunchError;
      expect(agentLamports).toBe(2n * fee);
      expect(balanceOf(agent)).toBe(5_000_000n - agentLamports);
    });

    test("a claim costs the agent one signature", async () => {
      const { agent, token } = await traded(meteora, trader);
      const wallet = agent.publicKey.toBase58();
      const claim = await launchpad.buildClaim(wallet, [token.ref], { transactionVersion });
      if (!claim) throw new Error("there is something to claim");
      const before = balanceOf(agent);
      const { paidLamports } = await submit(signBy(agent, claim));
      expect(balanceOf(agent)).toBe(before + paidLamports - fee);
    });

    test("a sponsored claim costs the agent two signatures, and its sponsor nothing", async () => {
      const { agent, token } = await traded(meteora, trader);
      hold(agent, 0n);
      const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref], {
        transactionVersion,
        maySponsor: async () => true,
      });
      if (!claim) throw new Error("there is something to claim");
      expect(claim.repaidLamports).toBe(RENT_OF_SOL_ACCOUNT + 2n * fee);
      const before = balanceOf(meteora.launchWallet);
      const { paidLamports } = await submit(signBy(agent, claim));
      expect(balanceOf(agent)).toBe(paidLamports - 2n * fee);
      expect(balanceOf(meteora.launchWallet)).toBe(before);
    });

    test("a hand-over costs what it was said to cost", async () => {
      const { agent, token } = await traded(meteora, trader);
      const to = generateKeypair().publicKey.toBase58();
      const order = { agent: agent.publicKey.toBase58(), token: token.ref, to, force: false };
      const unsigned = await launchpad.buildHandOver({ ...order, transactionVersion });
      expect(unsigned).toMatchObject({ networkFee: fee, rent: 0n });
      const before = balanceOf(agent);
      await submit(signBy(agent, unsigned, { kind: "hand_over", tokens: [token.ref] }));
      expect(before - balanceOf(agent)).toBe(fee);
    });
  });

  test("an operator's launch costs what is booked for it", async () => {
    const order = newLaunch(generateKeypair(), "operator");
    const book = new MemoryBook();
    const before = balanceOf(meteora.launchWallet);
    await launchpad.deploy(order, new Journal(book), never);
    expect(before - balanceOf(meteora.launchWallet)).toBe(book.spentToday());
  });

  test("a collection costs what the ledger says", async () => {
    const { token } = await traded(meteora, trader);
    const collector = new Collector({
      connection: meteora.cluster.connection,
      wallet: keypairSigner(meteora.launchWallet),
      program: meteoraPartner(meteora.cluster.connection, meteora.launchWallet.publicKey),
      clock: systemClock,
      ledger: { record: async () => null, end: async () => {} },
      feeCaps: WIDE_LIMITS,
      confirmer: { tickMs: 1 },
    });
    const planned = await collector.plan([token.ref]);
    if (planned.kind !== "planned") throw new Error(planned.kind);
    expect(planned.feeLamports).toBe(fee);
    const before = balanceOf(meteora.launchWallet);
    const sent = await collector.send(planned, never);
    expect(sent?.end).toMatchObject({ status: "confirmed", feeLamports: fee });
    expect(balanceOf(meteora.launchWallet)).toBe(before + planned.lamports - fee);
  });
});
