import { describe, expect, test } from "bun:test";
import { getMint } from "@solana/spl-token";
import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import type { CrashPointName } from "../crash-point.ts";
import { ChainUnavailableError, LaunchRefusedError, LaunchWalletError } from "../errors.ts";
import { TOTAL_SUPPLY } from "../local/curve.ts";
import { FAULTS, type Fault } from "./testing/hostile-rpc.ts";
import { Journal } from "./testing/journal.ts";
import { insist, never, order, testLaunchpad } from "./testing/test-launchpad.ts";

const METHODS = [
  "getMultipleAccounts",
  "simulateTransaction",
  "getRecentPrioritizationFees",
  "sendTransaction",
  "getSignatureStatuses",
];

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

  test("bids what others pay, up to the caps", async () => {
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

describe("an RPC with faults", () => {
  for (const fault of FAULTS) {
    for (const method of METHODS) {
      test(`${fault} at ${method} leads to one token, no refusal, and no URL in an error`, async () => {
        const { launchpad, rpc, mints } = testLaunchpad();
        rpc.spoilNext(method, fault, 3);
        const journal = new Journal();
        const launch = order();
        const { errors } = await insist(() => launchpad.deploy(launch, journal, never));
        for (const error of errors) {
          expect(error).toBeInstanceOf(ChainUnavailableError);
          // The URL contains a key and must not be logged.
          expect(Bun.inspect(error)).not.toMatch(/api-key|localnet\.invalid/);
        }
        expect(mints()).toBe(1);
      });
    }
  }
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
        expect(errors.filter((error) => error instanceof LaunchRefusedError)).toEqual([]);
        expect(errors.filter((error) => error instanceof LaunchWalletError)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
