import { describe, expect, test } from "bun:test";
import { createMintToInstruction, getMint } from "@solana/spl-token";
import { Keypair, PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import type { CheckpointName } from "../checkpoint.ts";
import { ChainUnavailableError, LaunchRefusedError, LaunchWalletError } from "../errors.ts";
import { poolAccounts } from "../local/accounts.ts";
import { TOTAL_SUPPLY } from "../local/curve.ts";
import type { PoolProgram } from "../pool-program.ts";
import { FAULTS, type Fault } from "./testing/hostile-rpc.ts";
import { insist, Journal, never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

/** Methods that a launch calls. */
const METHODS = [
  "getMultipleAccounts",
  "simulateTransaction",
  "getRecentPrioritizationFees",
  "sendTransaction",
  "getSignatureStatuses",
];

describe("default", () => {
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

  test("takes four requests and one confirmation tick", async () => {
    const { launchpad, rpc } = testLaunchpad();
    await launchpad.deploy(order(), new Journal(), never);
    expect(rpc.calls).toEqual([
      "getMultipleAccounts",
      "simulateTransaction",
      "getRecentPrioritizationFees",
      "sendTransaction",
      "getSignatureStatuses",
    ]);
  });

  test("launches side by side share fees and confirmation", async () => {
    // A tick of the confirmer takes half a second: by then all are sent.
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
    expect(rpc.calls.length - rpc.count("getSignatureStatuses")).toBeLessThanOrEqual(4 * 20);
    expect(rpc.count("getSignatureStatuses")).toBeLessThanOrEqual(3);
  });

  test("is stored before it is sent", async () => {
    const { launchpad, rpc } = testLaunchpad();
    const journal = new Journal();
    const sentWhenStored: number[] = [];
    journal.record = () => sentWhenStored.push(rpc.count("sendTransaction"));
    await launchpad.deploy(order(), journal, never);
    expect(sentWhenStored).toEqual([0]);
  });

  test("bids what others pay, within the caps", async () => {
    const feeWith = async (maxPriorityMicroLamports: bigint) => {
      const limits = { maxPriorityMicroLamports, maxTransactionFeeLamports: 40_000n };
      const { launchpad, rpc, chain } = testLaunchpad({ limits });
      rpc.rewrite("getRecentPrioritizationFees", (answer) => {
        for (const fee of answer.result) fee.prioritizationFee = 900_000_000;
        return answer;
      });
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

describe("an RPC that misbehaves", () => {
  for (const fault of FAULTS) {
    for (const method of METHODS) {
      test(`${fault} at ${method}: one token, nothing refused, no URL told`, async () => {
        const { launchpad, rpc, mints } = testLaunchpad();
        rpc.spoilNext(method, fault, 3);
        const journal = new Journal();
        const launch = order();
        const { errors } = await insist(() => launchpad.deploy(launch, journal, never));
        for (const error of errors) {
          expect(error).toBeInstanceOf(ChainUnavailableError);
          // Whatever is logged of it: the URL holds a key.
          expect(Bun.inspect(error)).not.toMatch(/api-key|localnet\.invalid/);
        }
        expect(mints()).toBe(1);
      });
    }
  }

  test("an RPC that is away for good is told after a while, and the attempt is kept", async () => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.spoil((method) => (method === "getSignatureStatuses" ? "request lost" : null));
    const journal = new Journal();
    const deploying = launchpad.deploy(order(), journal, never);
    await expect(deploying).rejects.toThrow("The Solana RPC cannot be reached");
    expect(journal.attempts).toHaveLength(1);
  });

  test("429 hands on when to ask again", async () => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.spoilNext("getMultipleAccounts", "429");
    const error = await launchpad.deploy(order(), new Journal(), never).catch((fault) => fault);
    expect(error).toMatchObject({ code: "chain_unavailable", retryAfterSeconds: 7 });
  });
});

describe("attempts", () => {
  test("one that was never heard expires, and only then another is made", async () => {
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

  test("one under way is sent again as it is until it lands", async () => {
    const { launchpad, rpc, chain } = testLaunchpad();
    rpc.spoilNext("sendTransaction", "request lost", 3);
    const journal = new Journal();
    await launchpad.deploy(order(), journal, never);
    expect(journal.attempts).toHaveLength(1);
    expect(rpc.count("sendTransaction")).toBe(4);
    expect(chain.getTransaction(journal.latest?.signature ?? "")?.error).toBeNull();
  });

  test("one that landed before a crash is found, and nothing is sent", async () => {
    const { launchpad, restart, rpc, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    const token = await launchpad.deploy(launch, journal, never);
    rpc.calls.length = 0;
    expect(await restart().deploy(launch, journal, never)).toEqual(token);
    expect(rpc.calls).toEqual(["getSignatureStatuses"]);
    expect(mints()).toBe(1);
  });

  test("a token whose attempt was forgotten is found by its mint", async () => {
    const { launchpad, rpc, mints } = testLaunchpad();
    const launch = order();
    const token = await launchpad.deploy(launch, new Journal(), never);
    rpc.calls.length = 0;
    expect(await launchpad.deploy(launch, new Journal(), never)).toEqual(token);
    expect(rpc.calls).toEqual(["getMultipleAccounts"]);
    expect(mints()).toBe(1);
  });

  test("an attempt's own addresses hold where the secret has changed since", async () => {
    const { launchpad, rpc } = testLaunchpad();
    const launch = order();
    const journal = new Journal();
    const token = await launchpad.deploy(launch, journal, never);
    // The chain has forgotten the signature, as real ones do after some days.
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

  test("a node that is behind cannot hide a token behind an expiry", async () => {
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

  test("a status from before the expiry proves nothing", async () => {
    const { launchpad, rpc, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    // The transaction lands, but statuses come from a node that has stopped before it did.
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

  test("a node that stands still holds nobody for ever", async () => {
    const { launchpad, rpc } = testLaunchpad();
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.context.slot = 1_000;
      answer.result.value = answer.result.value.map(() => null);
      return answer;
    });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("a lost lease sends nothing", async () => {
    const { launchpad, rpc } = testLaunchpad();
    const journal = new Journal();
    journal.record = () => {
      throw new Error("lease lost");
    };
    await expect(launchpad.deploy(order(), journal, never)).rejects.toThrow("lease lost");
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("a stop while it is in flight leaves it for the next start", async () => {
    const stop = new AbortController();
    const { launchpad, restart, rpc, mints } = testLaunchpad({
      checkpoint: (name) => {
        if (name === "launch.sent") stop.abort();
      },
    });
    const journal = new Journal();
    const launch = order();
    const stopped = launchpad.deploy(launch, journal, stop.signal);
    await expect(stopped).rejects.toBeInstanceOf(ChainUnavailableError);
    rpc.calls.length = 0;
    await restart().deploy(launch, journal, never);
    expect(rpc.count("sendTransaction")).toBe(0);
    expect(mints()).toBe(1);
  });
});

describe("refusals", () => {
  /** A launch that a program refuses: it mints again after the supply was fixed. */
  const refused = (inner: PoolProgram): PoolProgram => ({
    ...inner,
    async launch(launch) {
      const { instructions, signers } = await inner.launch(launch);
      const { mint, baseVault, pool } = poolAccounts(inner.addresses(launch.eventId));
      const tooLate = createMintToInstruction(mint, baseVault, pool, 1n);
      return { instructions: [...instructions, tooLate], signers };
    },
  });

  test("what no retry can mend fails, with nothing signed", async () => {
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    const journal = new Journal();
    const deploying = launchpad.deploy(order(), journal, never);
    await expect(deploying).rejects.toBeInstanceOf(LaunchRefusedError);
    await expect(deploying).rejects.toThrow(
      "The chain refused the launch (instruction 11: custom program error 5)",
    );
    expect(journal.attempts).toHaveLength(0);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("a node that says it is behind refuses nothing", async () => {
    const { launchpad, rpc } = testLaunchpad({ program: refused });
    rpc.rewrite("getHealth", () => ({ error: { code: -32005, message: "Node is behind" } }));
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("a config that cannot be used refuses nothing", async () => {
    const problem = "DBC_CONFIG is not on this cluster";
    const broken = (inner: PoolProgram) => ({ ...refused(inner), problem: async () => problem });
    const { launchpad } = testLaunchpad({ program: broken });
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(deploying).rejects.toThrow(problem);
  });

  test("a refusal that is not repeated on a newer state refuses nothing", async () => {
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

  test("a failure on chain is tried again, and twice the same is the end", async () => {
    // Preflight and simulation see nothing of it: their answers are made up.
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

  test("an address that someone else sent lamports to is not taken for the token", async () => {
    const { launchpad, program, chain } = testLaunchpad();
    const launch = order();
    chain.airdrop(program.addresses(launch.eventId).tokenMint, SOL);
    const deploying = launchpad.deploy(launch, new Journal(), never);
    await expect(deploying).rejects.toBeInstanceOf(LaunchRefusedError);
  });
});

describe("a crash at any step, an RPC with any fault", () => {
  const steps: CheckpointName[] = [
    "launch.signed",
    "launch.stored",
    "launch.sent",
    "launch.landed",
  ];

  for (const step of steps) {
    test(`${step}: one token`, async () => {
      let crashes = 1;
      const { restart, mints } = testLaunchpad({
        checkpoint: (name) => {
          if (name === step && crashes-- > 0) throw new Error("crash");
        },
      });
      const journal = new Journal();
      const launch = order();
      const { errors } = await insist(() => restart().deploy(launch, journal, never));
      expect(errors).toHaveLength(1);
      expect(journal.attempts).toHaveLength(1);
      expect(mints()).toBe(1);
    });
  }

  test("any sequence of them: one token, never refused", async () => {
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
          checkpoint: (name) => {
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
        expect(errors.filter((error) => error instanceof LaunchRefusedError)).toEqual([]);
        expect(errors.filter((error) => error instanceof LaunchWalletError)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the launch wallet", () => {
  test("an empty one puts launches off, and funds mend it", async () => {
    const { launchpad, chain, wallet, mints } = testLaunchpad({ funds: 0n });
    const launch = order();
    const journal = new Journal();
    const poor = launchpad.deploy(launch, journal, never);
    await expect(poor).rejects.toBeInstanceOf(LaunchWalletError);
    await expect(poor).rejects.toThrow(
      `The launch wallet ${wallet.publicKey} holds 0 SOL and needs more to launch: send SOL to it`,
    );
    expect(journal.attempts).toHaveLength(0);
    chain.airdrop(wallet.publicKey, SOL);
    await launchpad.deploy(launch, journal, never);
    expect(mints()).toBe(1);
  });

  test("one with too little for the rent puts launches off", async () => {
    const { launchpad } = testLaunchpad({ funds: 5_000_000n });
    const poor = launchpad.deploy(order(), new Journal(), never);
    await expect(poor).rejects.toBeInstanceOf(LaunchWalletError);
  });

  test("launches side by side leave the floor in it", async () => {
    const limits = { minWalletLamports: SOL };
    const funds = SOL + 20_000_000n;
    const { launchpad, chain, wallet, mints } = testLaunchpad({ limits, funds });
    const launches = Array.from({ length: 10 }, () =>
      launchpad.deploy(order(), new Journal(), never),
    );
    const outcomes = await Promise.allSettled(launches);
    const put_off = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(mints()).toBe(2);
    expect(put_off).toHaveLength(8);
    for (const reason of put_off) expect(reason).toBeInstanceOf(LaunchWalletError);
    expect(chain.getBalance(wallet.publicKey)).toBeGreaterThanOrEqual(SOL);
  });

  test("what is spent a day is limited, and booked to the lamport", async () => {
    let spent = 0n;
    const spendBook = {
      spentToday: () => spent,
      record: (lamports: bigint) => {
        spent += lamports;
      },
    };
    const limits = { maxDailySpendLamports: 20_000_000n };
    const { launchpad, chain, wallet, mints } = testLaunchpad({ limits, spendBook });
    const before = chain.getBalance(wallet.publicKey);
    const launches = Array.from({ length: 5 }, () =>
      launchpad.deploy(order(), new Journal(), never),
    );
    const outcomes = await Promise.allSettled(launches);
    const [reason] = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(reason).toBeInstanceOf(LaunchWalletError);
    expect(String(reason)).toContain("limit of 0.02 SOL a day");
    expect(mints()).toBe(2);
    expect(before - chain.getBalance(wallet.publicKey)).toBe(spent);
  });

  test("a launch that expires is not booked", async () => {
    let spent = 0n;
    const spendBook = {
      spentToday: () => spent,
      record: (lamports: bigint) => {
        spent += lamports;
      },
    };
    const { launchpad, rpc } = testLaunchpad({ spendBook });
    rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
    const deploying = launchpad.deploy(order(), new Journal(), never);
    await expect(deploying).rejects.toThrow("expired");
    expect(spent).toBe(0n);
  });

  test("one that expires after its outcome was left open is not booked either", async () => {
    let spent = 0n;
    const spendBook = {
      spentToday: () => spent,
      record: (lamports: bigint) => {
        spent += lamports;
      },
    };
    const { launchpad, chain, clock, rpc, wallet } = testLaunchpad({ spendBook });
    const before = chain.getBalance(wallet.publicKey);
    const [launch, journal] = [order(), new Journal()];
    const isLost = new Set(["sendTransaction", "getSignatureStatuses", "getEpochInfo"]);
    rpc.spoil((method) => (isLost.has(method) ? "request lost" : null));
    const deploying = launchpad.deploy(launch, journal, never);
    await expect(deploying).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(spent).toBeGreaterThan(0n);
    rpc.calm();
    clock.advance(2 * 60_000);
    await launchpad.deploy(launch, journal, never);
    expect(journal.attempts).toHaveLength(2);
    expect(before - chain.getBalance(wallet.publicKey)).toBe(spent);
  });

  test("an agent that is the launch wallet itself can launch", async () => {
    const { launchpad, wallet, mints } = testLaunchpad();
    await launchpad.deploy(order(wallet.publicKey.toBase58()), new Journal(), never);
    await launchpad.deploy(order(Keypair.generate().publicKey.toBase58()), new Journal(), never);
    expect(mints()).toBe(2);
  });
});
