import { describe, expect, mock, test } from "bun:test";
import { Keypair, Transaction } from "@solana/web3.js";
import { openClaim } from "../../../../test/support/assertions.ts";
import { Journal } from "../chain/testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "../chain/testing/test-launchpad.ts";
import { tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { CreatorChangedError, UnaffordableError } from "../errors.ts";
import { signBy, stepTwo } from "./testing/steps.ts";

describe("buildClaim", () => {
  test("asks whether the launch wallet may pay only if the agent cannot", async () => {
    const maySponsor = mock(async () => false);
    const { launchpad, wallet, token } = await tokenWithFees();
    await launchpad.buildClaim(wallet, [token], { maySponsor });
    expect(maySponsor).not.toHaveBeenCalled();
    const poor = await tokenWithFees({ lamports: 0n });
    const building = poor.launchpad.buildClaim(poor.wallet, [poor.token], { maySponsor });
    await expect(building).rejects.toBeInstanceOf(UnaffordableError);
    expect(maySponsor).toHaveBeenCalledTimes(1);
  });

  test("returns a legacy transaction that only the agent signs and pays", async () => {
    const { build, wallet, rpc } = await tokenWithFees();
    const claim = await build();
    const transaction = Transaction.from(claim.transaction);
    expect(transaction.feePayer?.toBase58()).toBe(wallet);
    expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([wallet]);
    expect(transaction.signature).toBeNull();
    expect(transaction.compileMessage().serialize()).toEqual(Buffer.from(claim.message));
    expect(claim.transaction.length).toBeLessThanOrEqual(1232);
    // Until the chain's pace was measured: 145 blocks of 200 ms.
    expect(claim.expiresInSeconds).toBe(29);
    expect(rpc.calls).toEqual(["getMultipleAccounts", "simulateTransaction"]);
  });

  test("returns null if there is nothing to claim", async () => {
    const { launchpad } = testLaunchpad();
    const wallet = Keypair.generate().publicKey.toBase58();
    const token = await launchpad.deploy(order(wallet), new Journal(), never);
    expect(await launchpad.buildClaim(wallet, [token])).toBeNull();
  });

  test("refuses to claim another agent's fees", async () => {
    const { launchpad, chain, token } = await tokenWithFees();
    const thief = Keypair.generate().publicKey;
    chain.airdrop(thief, SOL);
    const building = launchpad.buildClaim(thief.toBase58(), [token]);
    await expect(building).rejects.toBeInstanceOf(CreatorChangedError);
  });

  test("leaves compute units for assertions that the wallet may add", async () => {
    const { launchpad, chain, agent, build } = await tokenWithFees();
    const claim = signBy(agent, await build());
    await stepTwo(launchpad, claim);
    const used = Number(chain.getTransaction(claim.signature)?.meta.computeUnitsConsumed);
    expect(used).toBeGreaterThan(0);
    const limit = openClaim(claim.transaction).instructions[0]?.data.readUInt32LE(1);
    expect(limit).toBeGreaterThan(1.2 * used + 15_000);
  });

  test("bids at most 50,000 lamports of the agent's", async () => {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const { launchpad, chain, clock, rpc, agent, build } = await tokenWithFees({ limits });
    rpc.rewrite("getRecentPrioritizationFees", (answer) => {
      for (const fee of answer.result) fee.prioritizationFee = 900_000_000;
      return answer;
    });
    clock.advance(10_000);
    const claim = signBy(agent, await build());
    await stepTwo(launchpad, claim);
    const fee = Number(chain.getTransaction(claim.signature)?.meta.fee);
    expect(fee).toBeGreaterThan(49_000);
    expect(fee).toBeLessThanOrEqual(50_000);
  });
});
