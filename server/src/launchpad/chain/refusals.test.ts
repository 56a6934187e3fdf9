import { describe, expect, test } from "bun:test";
import { createMintToInstruction } from "@solana/spl-token";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import { poolAccounts } from "../local/accounts.ts";
import type { PoolProgram } from "../pool-program.ts";
import { Journal } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

/** A launch that a program refuses: it mints again after the supply was fixed. */
const refused = (inner: PoolProgram): PoolProgram => ({
  ...inner,
  async launch(launch) {
    const made = await inner.launch(launch);
    const { mint, baseVault, pool } = poolAccounts(inner.addresses(launch.eventId));
    const mintAgain = createMintToInstruction(mint, baseVault, pool, 1n);
    return { ...made, instructions: [...made.instructions, mintAgain] };
  },
});

describe("a refusal", () => {
  test("is final if no retry can help, and nothing was signed", async () => {
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    const journal = new Journal();
    const deploying = launchpad.deploy(order(), journal, never);
    await expect(deploying).rejects.toBeInstanceOf(LaunchRefusedError);
    await expect(deploying).rejects.toThrow(
      "The chain refused the launch (instruction 12: custom program error 5)",
    );
    expect(journal.attempts).toHaveLength(0);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("is not final if the node says that it is behind", async () => {
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    rpc.rewrite("getHealth", () => ({ error: { code: -32005, message: "Node is behind" } }));
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("is not final if the config is unusable", async () => {
    const problem = "DBC_CONFIG is not on this cluster";
    const broken = (inner: PoolProgram) => ({
      ...refused(inner),
      checkConfig: async () => problem,
    });
    const { launchpad } = testLaunchpad({ program: broken });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(deploying).rejects.toThrow(problem);
  });

  test("is not final if it is not repeated on a newer state", async () => {
    const { launchpad, rpc, mints } = testLaunchpad();
    let simulations = 0;
    rpc.rewrite("simulateTransaction", (answer) => {
      simulations += 1;
      if (simulations === 1) answer.result.value.err = { InstructionError: [2, { Custom: 3012 }] };
      return answer;
    });
    const launch = order();
    const first = launchpad.deploy(launch, new Journal(), never);
    await expect(first).rejects.toBeInstanceOf(ChainUnavailableError);
    await launchpad.deploy(launch, new Journal(), never);
    expect(mints()).toBe(1);
  });

  test("on chain is retried once, and final if it repeats", async () => {
    // The answers of simulations are rewritten, so that only the chain refuses it.
    const { launchpad, rpc, wallet } = testLaunchpad({ program: refused });
    rpc.rewrite("simulateTransaction", (answer) => {
      const { value } = answer.result;
      const account = { lamports: 1e11, owner: wallet.publicKey, data: ["", "base64"] };
      const accounts = [{ ...account, executable: false, rentEpoch: 0 }];
      answer.result.value = { ...value, err: null, unitsConsumed: 200_000, accounts };
      return answer;
    });
    const journal = new Journal();
    const launch = order();
    const first = launchpad.deploy(launch, journal, never);
    await expect(first).rejects.toThrow("custom program error 5");
    await expect(first).rejects.toBeInstanceOf(ChainUnavailableError);
    const second = launchpad.deploy(launch, journal, never);
    await expect(second).rejects.toBeInstanceOf(LaunchRefusedError);
    expect(journal.attempts).toHaveLength(2);
  });

  test("is not hidden by lamports at the mint's address", async () => {
    const { launchpad, program, chain } = testLaunchpad();
    const launch = order();
    chain.airdrop(program.addresses(launch.eventId).tokenMint, SOL);
    const deploying = launchpad.deploy(launch, new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(LaunchRefusedError);
  });
});

describe("an answer from an old state", () => {
  test("does not confirm a refusal", async () => {
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

  test("does not end a launch that failed on chain twice", async () => {
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
    // The read after the second attempt has failed.
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

  test("that lacks accounts does not count as a missing launch", async () => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.value.pop();
      return answer;
    });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toThrow("gives malformed answers");
    expect(rpc.count("simulateTransaction")).toBe(0);
  });
});

test.each([-32004, -32005, -32014, -32016])(
  "JSON-RPC error %d means that the node is behind",
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
