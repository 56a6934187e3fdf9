import { describe, expect, test } from "bun:test";
import { createMintToInstruction, getMint } from "@solana/spl-token";
import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { SLOT_MS } from "../../localnet/slots.ts";
import { FAULTS, type Fault, hideFailures } from "../../solana/testing/faulty-rpc.ts";
import type { CrashPointName } from "../crash-point.ts";
import { ChainUnavailableError, LaunchRefusedError, LaunchWalletError } from "../errors.ts";
import { poolAccounts } from "../local/accounts.ts";
import { TOTAL_SUPPLY } from "../local/curve.ts";
import type { PoolProgram } from "../pool-program.ts";
import { Journal } from "./testing/journal.ts";
import { insist, never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

describe("a launch", () => {
  test("puts a mint of fixed supply on chain", async () => {
    const { launchpad, connection } = testLaunchpad();
    const { tokenMint, poolAddress } = await launchpad.deploy(order(), new Journal(), never);
    const mint = await getMint(connection, new PublicKey(tokenMint));
    expect(mint).toMatchObject({
      supply: TOTAL_SUPPLY,
      mintAuthority: null,
      freezeAuthority: null,
    });
    expect(await connection.getAccountInfo(new PublicKey(poolAddress))).not.toBeNull();
  });

  test("is refused if the agent's wallet holds too little, which the same five requests show", async () => {
    const { launchpad, chain, rpc } = testLaunchpad({ minAgentLamports: 5_000n });
    const asked = order();
    const agent = new PublicKey(asked.wallet);
    await expect(launchpad.deploy(asked, new Journal(), never)).rejects.toThrow(
      new LaunchRefusedError(
        "The agent's wallet holds 0 SOL, and must hold 0.000005 SOL to launch",
      ),
    );
    expect(rpc.calls).toEqual(["getMultipleAccounts"]);
    expect(await launchpad.readBalances([asked.wallet])).toEqual([0n]);
    chain.airdrop(agent, 1_000_000n);
    rpc.calls.length = 0;
    await launchpad.deploy(asked, new Journal(), never);
    expect(rpc.calls).toHaveLength(6);
    expect(await launchpad.readBalances([asked.wallet])).toEqual([1_000_000n]);
  });

  test("shares fee reads and confirmation ticks with launches beside it", async () => {
    // The first tick waits until all are sent, as half a second would.
    const pause = async () => {
      do await new Promise((resolve) => setImmediate(resolve));
      while (rpc.count("sendTransaction") < 20);
    };
    const { launchpad, rpc, mints } = testLaunchpad({ confirmer: { pause } });
    const launches = Array.from({ length: 20 }, () =>
      launchpad.deploy(order(), new Journal(), never),
    );
    await Promise.all(launches);
    expect(mints()).toBe(20);
    expect(rpc.count("getRecentPrioritizationFees")).toBe(1);
    expect(rpc.calls.length - rpc.count("getSignatureStatuses")).toBeLessThanOrEqual(5 * 20);
    expect(rpc.count("getSignatureStatuses")).toBeLessThanOrEqual(3);
  });

  test("pays the priority fee that others pay, up to the caps", async () => {
    const feeWith = async (maxPriorityMicroLamports: bigint) => {
      const limits = { maxPriorityMicroLamports, maxTransactionFeeLamports: 40_000n };
      const { launchpad, rpc, chain } = testLaunchpad({ limits });
      rpc.unitPrice(900_000_000);
      const journal = new Journal();
      await launchpad.deploy(order(), journal, never);
      return Number(chain.getTransaction(journal.latest?.signature ?? "")?.meta.fee);
    };
    expect(await feeWith(0n)).toBe(15_000);
    const fee = await feeWith(1_000_000_000n);
    expect(fee).toBeGreaterThan(39_900);
    expect(fee).toBeLessThanOrEqual(40_000);
  });
});

describe("crashes and faults", () => {
  const steps: CrashPointName[] = [
    "launch.signed",
    "launch.stored",
    "launch.sent",
    "launch.landed",
  ];

  test("any sequence of crashes and faults leads to one token and no refusal", async () => {
    const fault = fc.option(fc.constantFrom<Fault>(...FAULTS), { freq: 2 });
    const crash = fc.option(fc.constantFrom(...steps), { freq: 3 });
    const sequence = fc.record({
      faults: fc.array(fault, { maxLength: 60 }),
      crashes: fc.array(crash, { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(sequence, async ({ faults, crashes }) => {
        const crashesLeft = [...crashes];
        const { restart, rpc, mints } = testLaunchpad({
          crashPoint: (name) => {
            if (crashesLeft[0] === name) {
              crashesLeft.shift();
              throw new Error("crash");
            }
          },
        });
        const faultsLeft = [...faults];
        rpc.spoil(() => faultsLeft.shift() ?? null);
        const journal = new Journal();
        const launch = order();
        const { errors } = await insist(
          () => restart().deploy(launch, journal, never),
          () => crashesLeft[0] === null && crashesLeft.shift(),
        );
        expect(mints()).toBe(1);
        // The URL contains a key and must not be logged.
        expect(Bun.inspect(errors)).not.toMatch(/api-key|localnet\.invalid/);
        expect(errors.filter((error) => error instanceof LaunchRefusedError)).toEqual([]);
        expect(errors.filter((error) => error instanceof LaunchWalletError)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("an attempt", () => {
  test("that never arrived expires, and only then another is made", async () => {
    const { launchpad, rpc, chain, mints } = testLaunchpad();
    rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
    const journal = new Journal();
    const launch = order();
    await expect(launchpad.deploy(launch, journal, never)).rejects.toThrow("expired");
    const { lastValidBlockHeight } = journal.attempts[0] ?? { lastValidBlockHeight: Infinity };
    expect(chain.blockHeight()).toBeGreaterThan(lastValidBlockHeight);
    rpc.calm();
    await launchpad.deploy(launch, journal, never);
    expect(journal.attempts).toHaveLength(2);
    expect(mints()).toBe(1);
  });

  test("that landed before a crash is found, and nothing is sent", async () => {
    const { launchpad, restart, rpc, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    const token = await launchpad.deploy(launch, journal, never);
    rpc.calls.length = 0;
    expect(await restart().deploy(launch, journal, never)).toEqual(token);
    expect(rpc.calls).toEqual(["getSignatureStatuses"]);
    expect(mints()).toBe(1);
  });

  test("that the journal lost leaves a token that is found by its mint", async () => {
    const { launchpad, rpc, mints } = testLaunchpad();
    const launch = order();
    const token = await launchpad.deploy(launch, new Journal(), never);
    rpc.calls.length = 0;
    expect(await launchpad.deploy(launch, new Journal(), never)).toEqual(token);
    expect(rpc.calls).toEqual(["getMultipleAccounts"]);
    expect(mints()).toBe(1);
  });

  test("keeps its own addresses if the secret changes", async () => {
    const { launchpad, rpc } = testLaunchpad();
    const launch = order();
    const journal = new Journal();
    const token = await launchpad.deploy(launch, journal, never);
    // The node has forgotten the signature, as real ones do after some days.
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = [null];
      return answer;
    });
    rpc.rewrite("getEpochInfo", (answer) => {
      answer.result.blockHeight += 1_000;
      return answer;
    });
    const changed = { ...launch, eventId: order().eventId };
    expect(await launchpad.deploy(changed, journal, never)).toEqual(token);
  });

  test("that landed is not taken for expired because a node is behind", async () => {
    const { launchpad, restart, rpc, clock, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    await launchpad.deploy(launch, journal, never);
    clock.advance(120_000);
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = [null];
      return answer;
    });
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.context.slot -= 300;
      answer.result.value = answer.result.value.map((account: unknown, index: number) =>
        index === 0 ? account : null,
      );
      return answer;
    });
    rpc.calls.length = 0;
    const blind = restart().deploy(launch, journal, never);
    await expect(blind).rejects.toThrow("behind its cluster");
    expect(rpc.count("simulateTransaction")).toBe(0);
    expect(journal.attempts).toHaveLength(1);
    rpc.calm();
    await restart().deploy(launch, journal, never);
    expect(mints()).toBe(1);
    expect(journal.attempts).toHaveLength(1);
  });

  test("has not expired as long as all statuses are from before the expiry", async () => {
    const { launchpad, rpc, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    // The transaction lands, but statuses come from a node that stalled before that.
    let stopped: number | null = null;
    let statuses = 0;
    rpc.rewrite("getSignatureStatuses", (answer) => {
      stopped ??= answer.result.context.slot;
      statuses += 1;
      if (statuses === 250) rpc.calm();
      answer.result.context.slot = stopped;
      answer.result.value = answer.result.value.map(() => null);
      return answer;
    });
    await launchpad.deploy(launch, journal, never);
    expect(journal.attempts).toHaveLength(1);
    expect(mints()).toBe(1);
  });

  test("is stored before it is sent, and not sent if its lease was lost", async () => {
    const { launchpad, rpc } = testLaunchpad();
    const journal = new Journal();
    journal.record = async () => {
      throw new Error("lease lost");
    };
    await expect(launchpad.deploy(order(), journal, never)).rejects.toThrow("lease lost");
    expect(rpc.count("sendTransaction")).toBe(0);
  });
});

describe("a token that another of our transactions made first", () => {
  test("is found if the simulation fails because of it", async () => {
    let overtake = async () => {};
    const { restart, rpc, mints } = testLaunchpad({
      program: (inner) => ({
        ...inner,
        async launch(launch) {
          await overtake();
          return inner.launch(launch);
        },
      }),
    });
    const launch = order();
    overtake = async () => {
      overtake = async () => {};
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

  test("is found if the transaction fails on chain because of it", async () => {
    let overtake: (() => Promise<unknown>) | null = null;
    const { restart, chain, clock, mints } = testLaunchpad({
      crashPoint: async (name) => {
        if (name !== "launch.stored" || !overtake) return;
        const other = overtake;
        overtake = null;
        // In another slot, so that it is another transaction.
        clock.advance(SLOT_MS);
        await other();
      },
    });
    const launch = order();
    overtake = () => restart().deploy(launch, new Journal(), never);
    const journal = new Journal();
    const { tokenMint } = await restart().deploy(launch, journal, never);
    expect(chain.getTransaction(journal.latest?.signature ?? "")?.error).not.toBeNull();
    expect(mints()).toBe(1);
    expect(await restart().deploy(launch, journal, never)).toMatchObject({ tokenMint });
  });
});

test.each([
  ["preBalances", undefined],
  ["replacementBlockhash", null],
  ["replacementBlockhash", { blockhash: "1".repeat(32) }],
  ["replacementBlockhash", { blockhash: "1".repeat(32), lastValidBlockHeight: "1150" }],
])("nothing is signed by a simulation whose %s is %j", async (field, value) => {
  const { launchpad, rpc } = testLaunchpad();
  rpc.rewrite("simulateTransaction", (answer) => {
    answer.result.value[field] = value;
    return answer;
  });
  const journal = new Journal();
  const deploying = launchpad.deploy(order(), journal, never);
  await expect(deploying).rejects.toThrow("gives malformed answers (simulateTransaction)");
  expect(journal.attempts).toEqual([]);
});

test("a stop before anything is signed leaves no attempt", async () => {
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

test("an attempt that a crash left unsent is sent at the next start, and not only after a wait", async () => {
  const stop = new AbortController();
  const { launchpad, restart, rpc } = testLaunchpad({
    crashPoint: (name) => {
      if (name === "launch.stored") stop.abort();
    },
  });
  const [launch, journal] = [order(), new Journal()];
  await expect(launchpad.deploy(launch, journal, stop.signal)).rejects.toThrow("stopping");
  rpc.calls.length = 0;
  await restart().deploy(launch, journal, never);
  const statuses = "getSignatureStatuses";
  expect(rpc.calls).toEqual([statuses, "getEpochInfo", "sendTransaction", statuses]);
});

test("an attempt of an earlier run is finished even if sending it again fails at first", async () => {
  const stop = new AbortController();
  const { launchpad, restart, rpc, mints } = testLaunchpad({
    crashPoint: (name) => {
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

test("a launch pays the priority fee that three of four recent slots took, and after an expiry what all took", async () => {
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
  const priorityFeeOf = (journal: Journal) => {
    const meta = chain.getTransaction(journal.latest?.signature ?? "")?.meta;
    return (Number(meta?.fee) - 15_000) / Number(meta?.computeUnitsConsumed);
  };
  const [launch, usual, urgent] = [order(), new Journal(), new Journal()];
  await launchpad.deploy(order(), usual, never);
  rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
  await expect(launchpad.deploy(launch, urgent, never)).rejects.toThrow("expired");
  rpc.spoil(() => null);
  await launchpad.deploy(launch, urgent, never);
  expect(priorityFeeOf(urgent) / priorityFeeOf(usual)).toBeCloseTo(3, 0);
});

/** A program that refuses launches of a ticker, or all: they mint again after the supply was fixed. */
const refusing =
  (ticker?: string) =>
  (inner: PoolProgram): PoolProgram => ({
    ...inner,
    async launch(launch) {
      const made = await inner.launch(launch);
      if (launch.ticker !== (ticker ?? launch.ticker)) return made;
      const { mint, baseVault, pool } = poolAccounts(inner.addresses(launch.eventId));
      const mintAgain = createMintToInstruction(mint, baseVault, pool, 1n);
      return { ...made, instructions: [...made.instructions, mintAgain] };
    },
  });
const refused = refusing(order().ticker);

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

  test("is not final if every launch is refused, as after a program's upgrade", async () => {
    const { launchpad } = testLaunchpad({ program: refusing() });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toMatchObject({ isOutage: true });
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
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    hideFailures(rpc);
    const journal = new Journal();
    const launch = order();
    const first = launchpad.deploy(launch, journal, never);
    await expect(first).rejects.toThrow("custom program error 5");
    await expect(first).rejects.toBeInstanceOf(ChainUnavailableError);
    const second = launchpad.deploy(launch, journal, never);
    await expect(second).rejects.toBeInstanceOf(LaunchRefusedError);
    expect(journal.attempts).toHaveLength(2);
  });

  test("on chain of the virtual machine's own is as final if it repeats", async () => {
    const { launchpad, rpc } = testLaunchpad();
    // A node that reports too few units: the transaction runs out of them.
    rpc.rewrite("simulateTransaction", (answer) => {
      answer.result.value.unitsConsumed = 1;
      return answer;
    });
    const [launch, journal] = [order(), new Journal()];
    const deploy = () => launchpad.deploy(launch, journal, never);
    await expect(deploy()).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(deploy()).rejects.toBeInstanceOf(LaunchRefusedError);
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
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    hideFailures(rpc);
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
});
