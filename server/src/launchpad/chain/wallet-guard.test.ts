import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { utcDay } from "../../base/clock.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ChainUnavailableError, LaunchRefusedError, LaunchWalletError } from "../errors.ts";
import { Journal, MemoryBook } from "./testing/journal.ts";
import { insist, never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";
import {
  type MeasuredCost,
  WalletGuard,
  type WalletLimits,
  type WalletReading,
} from "./wallet-guard.ts";

const RENT = 6_960n;

/** A cost that is measured and reserved at the same balance and rent by default. */
function costing(
  walletLamports: bigint,
  lamports: bigint,
  {
    rentPerByte = RENT,
    now = {} as Partial<WalletReading>,
    expense = "launch" as "launch" | "migration",
  } = {},
): MeasuredCost {
  const wallet = { walletLamports, rentPerByte };
  return {
    wallet,
    lamports,
    priorityLamports: 0n,
    readAgain: async () => ({ ...wallet, ...now }),
    expense,
  };
}

function setUp(limits: Partial<WalletLimits> | null = {}) {
  const clock = new ManualClock();
  const book = new MemoryBook(() => utcDay(clock.now()));
  const guard = new WalletGuard({
    address: "wallet",
    limits: limits && { minWalletLamports: 0n, maxDailySpendLamports: null, ...limits },
    clock,
  });
  return {
    guard,
    clock,
    book,
    reserve: (walletLamports: bigint, lamports: bigint, journal = new Journal(book)) =>
      guard.reserve(journal, costing(walletLamports, lamports)),
  };
}

describe("a reservation", () => {
  test("leaves the floor and what others have reserved, to the lamport", async () => {
    const { reserve, book } = setUp({ minWalletLamports: 50n });
    await expect(reserve(149n, 100n)).rejects.toBeInstanceOf(LaunchWalletError);
    const first = new Journal(book);
    await reserve(150n, 100n, first);
    await expect(reserve(249n, 100n)).rejects.toThrow("needs 0.00000025 SOL");
    await reserve(250n, 100n);
    first.end();
    await expect(reserve(249n, 100n)).rejects.toBeInstanceOf(LaunchWalletError);
    await reserve(250n, 100n);
  });

  test("leaves the floor if another launch landed and ended after the balance was read", async () => {
    const { guard, book } = setUp({ minWalletLamports: 50n });
    const journal = new Journal(book);
    const short = guard.reserve(journal, costing(250n, 100n, { now: { walletLamports: 149n } }));
    await expect(short).rejects.toBeInstanceOf(LaunchWalletError);
    expect(book.spentToday()).toBe(0n);
    const unread = guard.reserve(journal, {
      ...costing(250n, 100n),
      readAgain: () => Promise.reject(new Error("away")),
    });
    await expect(unread).rejects.toThrow("away");
    expect(book.spentToday()).toBe(0n);
    await guard.reserve(journal, costing(250n, 100n, { now: { walletLamports: 150n } }));
    expect(book.spentToday()).toBe(100n);
  });

  test("leaves the floor even if the rent rises to the usual one before it lands", async () => {
    const { guard, book } = setUp({ minWalletLamports: 50n });
    const cheap = { rentPerByte: 696n };
    const first = new Journal(book);
    const second = new Journal(book);
    const short = guard.reserve(first, costing(1_049n, 100n, cheap));
    await expect(short).rejects.toThrow("needs 0.00000105 SOL");
    expect(book.spentToday()).toBe(0n);
    await guard.reserve(first, costing(1_050n, 100n, cheap));
    // The first launch may cost as much.
    await expect(guard.reserve(second, costing(2_049n, 100n, cheap))).rejects.toThrow();
    await guard.reserve(second, costing(2_050n, 100n, cheap));
    // The day counts its cost at today's rent.
    expect(book.spentToday()).toBe(200n);
  });

  test("is not made with a cost that another rent has changed", async () => {
    const { guard, book } = setUp();
    const now = { rentPerByte: 696n };
    const changed = guard.reserve(new Journal(book), costing(1_000n, 100n, { now }));
    await expect(changed).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(book.spentToday()).toBe(0n);
  });

  test("is not made if lamports are free", async () => {
    const { guard, book } = setUp(null);
    const journal = new Journal(book);
    await guard.reserve(journal, costing(0n, 100n));
    expect(book.spentToday()).toBe(0n);
    expect(guard.isUnderFloor(0n)).toBe(false);
    expect(guard.dayBudget()).toBeNull();
  });
});

describe("the day's budget", () => {
  test("is null without a limit, or the limit and what the last launch cost, with its priority fee", async () => {
    expect(setUp().guard.dayBudget()).toBeNull();
    const { guard, book } = setUp({ maxDailySpendLamports: 200n });
    // An unmeasured launch counts for more than it costs.
    expect(guard.dayBudget()).toEqual({ maxDailyLamports: 200n, launchLamports: 30_000_000n });
    await guard.reserve(new Journal(book), { ...costing(1_000n, 70n), priorityLamports: 9n });
    expect(book.spentToday()).toBe(79n);
    expect(guard.dayBudget()).toEqual({ maxDailyLamports: 200n, launchLamports: 79n });
  });
});

describe("the problem of the next launch", () => {
  test("is what others have reserved, only as long as they hold it", async () => {
    const { guard, reserve } = setUp();
    await reserve(100n, 100n);
    await expect(reserve(100n, 100n)).rejects.toThrow("needs 0.0000002 SOL");
    expect(guard.findProblem(100n)).toBeNull();
    expect(guard.findProblem(99n)).not.toBeNull();
  });

  test("is a balance that the chain found too small, until it grows", () => {
    const { guard } = setUp();
    const error = guard.shortageError(7n);
    expect(error).toBeInstanceOf(LaunchWalletError);
    expect(error.message).toContain("holds 0.000000007 SOL and needs more: send SOL to it");
    expect(guard.findProblem(7n)).not.toBeNull();
    expect(guard.findProblem(8n)).toBeNull();
  });
});

describe("a migration of a pool", () => {
  test("says nothing about launches if it is refused", async () => {
    const { guard, reserve, book } = setUp({ minWalletLamports: 10n, maxDailySpendLamports: 500n });
    const migrate = (walletLamports: bigint, lamports: bigint) =>
      guard.reserve(new Journal(book), costing(walletLamports, lamports, { expense: "migration" }));
    await expect(migrate(309n, 300n)).rejects.toThrow("needs 0.00000031 SOL: send SOL to it");
    expect(guard.findProblem(309n)).toBeNull();
    await reserve(1_000n, 201n);
    await expect(migrate(1_000n, 300n)).rejects.toThrow("limit of 0.0000005 SOL a day");
    expect(guard.findProblem(1_000n)).toBeNull();
    await migrate(1_000n, 299n);
    expect(book.spentToday()).toBe(500n);
  });
});

test("a service without a launch wallet works, and ends what it was to pay for unless that has landed", async () => {
  const paid = testLaunchpad();
  const { launchpad } = testLaunchpad({ payers: ["agent"], isWalletless: true });
  expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null, walletLamports: null });
  expect(launchpad.dayBudget()).toBeNull();
  const refused = launchpad.deploy(order(), new Journal(), never);
  await expect(refused).rejects.toBeInstanceOf(LaunchRefusedError);

  const launch = order();
  const journal = new Journal();
  const token = await paid.launchpad.deploy(launch, journal, never);
  expect(await paid.restart(null).deploy(launch, journal, never)).toEqual(token);
});

test.each([
  [["operator"], false],
  [["operator", "agent"], true],
  [["agent"], true],
] as const)("if %p pay, an empty wallet leaves the service usable: %p", async (payers, ok) => {
  const { launchpad } = testLaunchpad({ funds: 0n, limits: { minWalletLamports: SOL }, payers });
  const found = await launchpad.probe();
  expect(found.ok).toBe(ok);
  expect(found.problem ?? found.warning).toContain("holds 0 SOL and needs 1 SOL: send SOL to it");
});

function withNewWallet({ chain, restart }: ReturnType<typeof testLaunchpad>) {
  const wallet = Keypair.generate();
  chain.airdrop(wallet.publicKey, 100n * SOL);
  return restart(wallet);
}

test.each(["launch.signed", "launch.stored", "launch.sent"] as const)(
  "a launch that stopped at %s under the old wallet makes one token under the new one",
  async (step) => {
    let kills = 1;
    const old = testLaunchpad({
      crashPoint: (name) => {
        if (name === step && kills-- > 0) throw new Error("the server was killed");
      },
    });
    const launch = order();
    const journal = new Journal();
    await expect(old.launchpad.deploy(launch, journal, never)).rejects.toThrow("killed");
    expect(journal.attempts).toHaveLength(step === "launch.signed" ? 0 : 1);
    const { value } = await insist(() => withNewWallet(old).deploy(launch, journal, never));
    expect(old.mints()).toBe(1);
    expect(value.tokenMint).toBe(old.program.addresses(launch.eventId).tokenMint);
  },
);

test("a launch that the old wallet cannot pay is paid by the new one", async () => {
  const old = testLaunchpad({ funds: 0n });
  const launch = order();
  const journal = new Journal();
  await expect(old.launchpad.deploy(launch, journal, never)).rejects.toThrow(
    `The launch wallet ${old.wallet.publicKey} holds 0 SOL and needs more: send SOL to it`,
  );
  expect(journal.attempts).toEqual([]);
  await withNewWallet(old).deploy(launch, journal, never);
  expect(old.mints()).toBe(1);
});
