import { describe, expect, test } from "bun:test";
import { utcDay } from "../../base/utc-day.ts";
import { Journal, MemoryBook } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

describe("probe", () => {
  test("reports no problem of a working chain", async () => {
    const { launchpad } = testLaunchpad();
    const probe = await launchpad.probe();
    expect(probe).toEqual({
      ok: true,
      problem: null,
      walletLamports: 100n * SOL,
      walletLaunches: 3_333,
      pace: expect.anything(),
    });
  });

  test.each([
    [6_000, "This machine's clock is 6 s ahead of the cluster's"],
    [-6_000, "This machine's clock is 6 s behind the cluster's"],
  ])("names a clock that is %i ms ahead, although launches work", async (clockAheadMs, text) => {
    const { launchpad } = testLaunchpad({ clockAheadMs });
    expect(await launchpad.probe()).toMatchObject({
      ok: true,
      warning: expect.stringContaining(text),
    });
  });

  test("reports a launch wallet under the floor", async () => {
    const { launchpad, wallet } = testLaunchpad({ limits: { minWalletLamports: 101n * SOL } });
    const probe = await launchpad.probe();
    expect(probe).toEqual({
      ok: false,
      problem: `The launch wallet ${wallet.publicKey} holds 100 SOL and needs 101 SOL to launch: send SOL to it`,
      walletLamports: 100n * SOL,
      walletLaunches: 0,
      pace: expect.anything(),
    });
  });

  test("reports a wallet with less than a launch costs, once a launch has shown it", async () => {
    const funds = SOL + 5_000_000n;
    const limits = { minWalletLamports: SOL };
    const { launchpad, chain, wallet } = testLaunchpad({ funds, limits });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("send SOL to it");
    const { ok, problem } = await launchpad.probe();
    expect(ok).toBe(false);
    expect(problem).toContain("holds 1.005 SOL and needs 1.0");
    chain.airdrop(wallet.publicKey, SOL);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("reports a used-up day's limit until the day is over", async () => {
    const limits = { maxDailySpendLamports: 12_000_000n };
    const { launchpad, clock } = testLaunchpad({ limits });
    const book = new MemoryBook(() => utcDay(clock.now()));
    await launchpad.deploy(order(), new Journal(book), never);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(book), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("00:00 UTC");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: expect.stringContaining("limit of 0.012 SOL a day"),
    });
    clock.advance(86_400_000);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
  });

  test("reports an RPC that fails and a node that is behind", async () => {
    const { launchpad, clock, rpc } = testLaunchpad();
    rpc.spoilNext("getMultipleAccounts", "request lost");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC cannot be reached",
      walletLamports: null,
    });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    clock.advance(4_500);
    rpc.spoilNext("getHealth", "JSON-RPC error");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC is behind its cluster",
      walletLamports: 100n * SOL,
    });
  });

  test("reports a stalled node as behind, even if it calls itself healthy", async () => {
    const { launchpad, chain, clock, rpc } = testLaunchpad();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const slot = chain.slot();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.context.slot = slot;
      return answer;
    });
    clock.advance(30_000);
    const problem = "The Solana RPC is behind its cluster";
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    rpc.calm();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("checks the program again after a minute, or sooner while it has a problem", async () => {
    let asked = 0;
    let problem: string | null = null;
    const { launchpad, clock } = testLaunchpad({
      program: (inner) => ({
        ...inner,
        async checkConfig() {
          asked += 1;
          return problem;
        },
      }),
    });
    await launchpad.probe();
    clock.advance(59_000);
    await launchpad.probe();
    expect(asked).toBe(1);
    problem = "The program is not on this cluster";
    clock.advance(1_000);
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    clock.advance(5_000);
    problem = null;
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    expect(asked).toBe(3);
  });
});
