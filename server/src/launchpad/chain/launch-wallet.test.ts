import { describe, expect, test } from "bun:test";
import { turns } from "../../testing/scripted-launchpad.ts";
import { LaunchRefusedError, LaunchWalletError } from "../errors.ts";
import { Journal, MemoryBook } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

describe("the launch wallet", () => {
  test("postpones launches while it is empty", async () => {
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

  test("counts a launch with the config's creation fee before it can pay for one", async () => {
    const { launchpad, chain, wallet } = testLaunchpad({
      funds: 0n,
      limits: { maxDailySpendLamports: SOL, minWalletLamports: 1n },
      program: (inner) => ({
        ...inner,
        launch: async (order) => ({ ...(await inner.launch(order)), creationLamports: SOL / 2n }),
      }),
    });
    expect(launchpad.dayBudget()?.launchLamports).toBe(30_000_000n);
    await launchpad.probe();
    await turns();
    expect(launchpad.dayBudget()?.launchLamports).toBe(SOL / 2n + 30_000_000n);
    chain.airdrop(wallet.publicKey, SOL);
    await launchpad.probe();
    expect(launchpad.dayBudget()?.launchLamports).toBeLessThan(30_000_000n);
  });

  test("keeps its floor under launches side by side", async () => {
    const limits = { minWalletLamports: SOL };
    const funds = SOL + 20_000_000n;
    const book = new MemoryBook();
    const { launchpad, chain, wallet, mints } = testLaunchpad({ limits, funds });
    const launches = Array.from({ length: 10 }, () =>
      launchpad.deploy(order(), new Journal(book), never),
    );
    const outcomes = await Promise.allSettled(launches);
    const put_off = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(mints()).toBe(2);
    expect(put_off).toHaveLength(8);
    for (const reason of put_off) expect(reason).toBeInstanceOf(LaunchWalletError);
    expect(chain.getBalance(wallet.publicKey)).toBeGreaterThanOrEqual(SOL);
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
  const needs = payers[0] === "agent" ? "needs 1 SOL to sponsor claims" : "needs 1 SOL to launch";
  expect(found.problem ?? found.warning).toContain(needs);
});
