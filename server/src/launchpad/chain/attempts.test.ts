import { describe, expect, test } from "bun:test";
import { createMintToInstruction } from "@solana/spl-token";
import { SLOT_MS } from "../../localnet/slots.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import { poolAccounts } from "../local/accounts.ts";
import type { PoolProgram } from "../pool-program.ts";
import { Journal, never, order, testLaunchpad } from "./testing/test-launchpad.ts";

/** A launch that a program refuses: it mints again after the supply was fixed. */
const refused = (inner: PoolProgram): PoolProgram => ({
  ...inner,
  async launch(launch) {
    const { instructions, signers } = await inner.launch(launch);
    const { mint, baseVault, pool } = poolAccounts(inner.addresses(launch.eventId));
    return {
      instructions: [...instructions, createMintToInstruction(mint, baseVault, pool, 1n)],
      signers,
    };
  },
});

describe("a launch that somebody else of ours made meanwhile", () => {
  test("is found where the simulation fails because of it", async () => {
    let meanwhile = async () => {};
    const { restart, rpc, mints } = testLaunchpad({
      program: (inner) => ({
        ...inner,
        async launch(launch) {
          await meanwhile();
          return inner.launch(launch);
        },
      }),
    });
    const launch = order();
    meanwhile = async () => {
      meanwhile = async () => {};
      await restart().deploy(launch, new Journal(), never);
      rpc.calls.length = 0;
    };
    const journal = new Journal();
    const { tokenMint } = await restart().deploy(launch, journal, never);
    expect(journal.attempts).toEqual([]);
    expect(rpc.calls).toEqual(["simulateTransaction", "getMultipleAccounts"]);
    expect(mints()).toBe(1);
    expect(await restart().deploy(launch, journal, never)).toMatchObject({ tokenMint });
  });

  test("is found where the transaction fails on chain because of it", async () => {
    let meanwhile: (() => Promise<unknown>) | null = null;
    const { restart, chain, clock, mints } = testLaunchpad({
      checkpoint: async (name) => {
        if (name !== "launch.stored" || !meanwhile) return;
        const other = meanwhile;
        meanwhile = null;
        // Of another slot, so that it is another transaction.
        clock.advance(SLOT_MS);
        await other();
      },
    });
    const launch = order();
    meanwhile = () => restart().deploy(launch, new Journal(), never);
    const journal = new Journal();
    const { tokenMint } = await restart().deploy(launch, journal, never);
    expect(chain.getTransaction(journal.latest?.signature ?? "")?.error).not.toBeNull();
    expect(mints()).toBe(1);
    expect(await restart().deploy(launch, journal, never)).toMatchObject({ tokenMint });
  });
});

describe("an answer from an old state", () => {
  test("confirms no refusal", async () => {
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    let simulations = 0;
    rpc.rewrite("simulateTransaction", (answer) => {
      if (++simulations === 2) answer.result.context.slot -= 300;
      return answer;
    });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(simulations).toBe(2);
  });

  test("ends no launch that failed on chain twice", async () => {
    const { launchpad, rpc, wallet } = testLaunchpad({ program: refused });
    rpc.rewrite("simulateTransaction", (answer) => {
      const account = { lamports: 1e11, owner: wallet.publicKey, data: ["", "base64"] };
      const accounts = [{ ...account, executable: false, rentEpoch: 0 }];
      const { value } = answer.result;
      answer.result.value = { ...value, err: null, unitsConsumed: 200_000, accounts };
      return answer;
    });
    const [launch, journal] = [order(), new Journal()];
    await expect(launchpad.deploy(launch, journal, never)).rejects.toThrow("failed on chain");
    // The look at what the second attempt left behind.
    rpc.rewrite("getMultipleAccounts", (answer) => {
      if (rpc.count("sendTransaction") > sent) answer.result.context.slot -= 300;
      return answer;
    });
    const sent = rpc.count("sendTransaction");
    await expect(launchpad.deploy(launch, journal, never)).rejects.toThrow("behind its cluster");
    expect(journal.attempts).toHaveLength(2);
    rpc.rewrite("getMultipleAccounts", (answer) => answer);
    const third = launchpad.deploy(launch, journal, never);
    await expect(third).rejects.toBeInstanceOf(LaunchRefusedError);
  });

  test("with accounts left out tells of no launch", async () => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.value.pop();
      return answer;
    });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toThrow("behind its cluster");
    expect(rpc.count("simulateTransaction")).toBe(0);
  });
});

test.each([-32004, -32005, -32014, -32016])(
  "JSON-RPC error %d is a node's that is behind",
  async (code) => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.rewrite("getMultipleAccounts", ({ result, ...answer }) => ({
      ...answer,
      error: { code, message: "not yet" },
    }));
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toThrow("behind its cluster");
  },
);

test("a stop before anything is signed leaves nothing to be settled", async () => {
  const { launchpad, rpc } = testLaunchpad();
  const stop = new AbortController();
  rpc.rewrite("simulateTransaction", (answer) => {
    stop.abort();
    return answer;
  });
  const journal = new Journal();
  await expect(launchpad.deploy(order(), journal, stop.signal)).rejects.toThrow("stopping");
  expect(journal.attempts).toEqual([]);
});

test("an attempt of an earlier run is seen through though it cannot be sent again at first", async () => {
  const stop = new AbortController();
  const { launchpad, restart, rpc, mints } = testLaunchpad({
    checkpoint: (name) => {
      if (name === "launch.sent") stop.abort();
    },
  });
  rpc.spoilNext("sendTransaction", "request lost", 2);
  const [launch, journal] = [order(), new Journal()];
  await expect(launchpad.deploy(launch, journal, stop.signal)).rejects.toThrow("stopping");
  await restart().deploy(launch, journal, never);
  expect(rpc.count("sendTransaction")).toBe(3);
  expect(journal.attempts).toHaveLength(1);
  expect(mints()).toBe(1);
});

test("bids what three of four would have paid, and after an expiry what all would have", async () => {
  const limits = { maxPriorityMicroLamports: 1_000_000_000n };
  const { launchpad, rpc, chain } = testLaunchpad({ limits });
  rpc.rewrite("getRecentPrioritizationFees", (answer) => {
    answer.result = [10_000, 10_000, 90_000, 10_000, 30_000, 10_000, 10_000, 10_000].map(
      (prioritizationFee, slot) => ({
        slot,
        prioritizationFee,
      }),
    );
    return answer;
  });
  const bidOf = (journal: Journal) => {
    const meta = chain.getTransaction(journal.latest?.signature ?? "")?.meta;
    return (Number(meta?.fee) - 15_000) / Number(meta?.computeUnitsConsumed);
  };
  const [launch, usual, urgent] = [order(), new Journal(), new Journal()];
  await launchpad.deploy(order(), usual, never);
  rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
  await expect(launchpad.deploy(launch, urgent, never)).rejects.toThrow("expired");
  rpc.spoil(() => null);
  await launchpad.deploy(launch, urgent, never);
  expect(bidOf(urgent) / bidOf(usual)).toBeCloseTo(3, 0);
});
