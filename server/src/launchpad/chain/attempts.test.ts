import { describe, expect, test } from "bun:test";
import { SLOT_MS } from "../../localnet/slots.ts";
import { Journal } from "./testing/journal.ts";
import { never, order, testLaunchpad } from "./testing/test-launchpad.ts";

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

  test("on a chain that has halted is put off because no block appears, and lands later", async () => {
    const { launchpad, chain, rpc, mints } = testLaunchpad();
    const journal = new Journal();
    const launch = order();
    rpc.spoil((method) => {
      if (method === "sendTransaction") chain.halt("blocks");
      return null;
    });
    const deploying = launchpad.deploy(launch, journal, never);
    await expect(deploying).rejects.toThrow("The Solana RPC shows no new blocks");
    rpc.calm();
    chain.halt(null);
    await launchpad.deploy(launch, journal, never);
    expect(journal.attempts).toHaveLength(1);
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

test("a launch bids what three of four recent slots took, and after an expiry what all took", async () => {
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
