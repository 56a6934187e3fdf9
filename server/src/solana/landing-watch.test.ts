import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "../localnet/testing/local-chain.ts";
import { versionOneTransfer } from "../localnet/testing/version-1.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { Confirmer } from "./confirmer.ts";
import { createConnection } from "./connection.ts";
import { LandingWatch } from "./landing-watch.ts";
import { FaultyRpc, rpcError } from "./testing/faulty-rpc.ts";

const LOOK_MS = 2_000;

/** Makes a watch on the embedded chain that is checked every two seconds, as by the probes. */
function open({ refuses = "" } = {}) {
  const { chain, clock: ofChain, wallet } = openTestChain();
  const clock = new ManualClock();
  let halted: "transactions" | "blocks" | null = null;
  const rpc = FaultyRpc.of(chain);
  rpc.spoil(() => rpcError(-32601, "Method not found"), refuses);
  const connection = createConnection("http://node.invalid", { fetch: rpc.fetch });
  const seen: { waiting: Confirmer["waiting"]; inBlockAt: number | null } = {
    waiting: [],
    inBlockAt: null,
  };
  const watch = new LandingWatch(connection, clock, seen);
  const from = wallet();
  return {
    chain,
    clock,
    halt(how: typeof halted) {
      halted = how;
    },
    begin(transaction: Uint8Array) {
      seen.waiting = [...seen.waiting, { transaction, since: clock.elapsed() }];
    },
    end(transaction: Uint8Array, isInBlock: boolean) {
      seen.waiting = seen.waiting.filter((one) => one.transaction !== transaction);
      if (isInBlock) seen.inBlockAt = clock.elapsed();
    },
    rpc,
    /** Makes a transaction that could land. */
    ours: () => transfer(chain, from, SOL / 100n),
    /** Sends a transaction that we do not wait for; it lands unless the chain is halted. */
    other: () => halted ?? chain.sendTransaction(transfer(chain, from, SOL / 1_000n)),
    async otherOfVersion1() {
      const { blockhash } = chain.latestBlockhash();
      return (
        halted ??
        chain.sendTransaction(await versionOneTransfer(from, blockhash, { lamports: 1e6 }))
      );
    },
    /** Returns the result of the last check. */
    async pass(seconds: number, each: () => unknown = () => {}) {
      for (let passed = 0; passed < seconds; passed += 2) {
        clock.advance(LOOK_MS);
        if (halted !== "blocks") ofChain.advance(LOOK_MS);
        await each();
        await watch.check(chain.slot());
      }
      return watch.check(chain.slot());
    },
  };
}

test.each(["transactions", "blocks"] as const)(
  "halted %s are a stall after 30 s, until something of ours lands",
  async (how) => {
    const { halt, clock, begin, end, ours, other, pass } = open();
    await pass(60, other);
    const since = clock.now();
    const transaction = ours();
    begin(transaction);
    halt(how);
    expect(await pass(28, other)).toBeNull();
    expect(await pass(6, other)).toBe(since);
    expect(await pass(600, other)).toBe(since);
    halt(null);
    end(transaction, true);
    expect(await pass(2)).toBeNull();
  },
);

test("one transaction that does not land is not a stall while others do", async () => {
  const { begin, rpc, ours, other, pass } = open();
  begin(ours());
  let seconds = 0;
  while (seconds < 600) {
    expect(await pass(10, other)).toBeNull();
    seconds += 10;
  }
  // At most three blocks every 15 s.
  expect(rpc.count("getBlocks")).toBeLessThanOrEqual(40);
  expect(rpc.count("getBlock")).toBeLessThanOrEqual(120);
});

test("a transaction that cannot run is not a stall of a cluster without other traffic", async () => {
  const { chain, begin, pass } = open();
  const empty = Keypair.generate();
  begin(transfer(chain, empty, SOL));
  begin(new Uint8Array([1, 2, 3]));
  expect(await pass(120)).toBeNull();
});

test.each(["other", "otherOfVersion1"] as const)(
  "a stall ends when transactions of others land (%s), although ours still waits",
  async (sender) => {
    const { halt, begin, ours, pass, [sender]: other } = open();
    begin(ours());
    halt("transactions");
    expect(await pass(40, other)).not.toBeNull();
    halt(null);
    expect(await pass(6, other)).toBeNull();
  },
);

test("a launch whose attempts expire one after the other waits since its first", async () => {
  const { halt, clock, begin, end, ours, other, pass } = open();
  const since = clock.now();
  halt("transactions");
  for (let attempt = 0; attempt < 5; attempt++) {
    const transaction = ours();
    begin(transaction);
    await pass(40, other);
    end(transaction, false);
    expect(await pass(14, other)).toBe(since);
  }
  expect(await pass(32, other)).toBeNull();
});

test("nothing is asked while nothing waits long, and a node without blocks proves nothing", async () => {
  const idle = open();
  idle.halt("transactions");
  expect(await idle.pass(60)).toBeNull();
  idle.begin(idle.ours());
  expect(await idle.pass(12)).toBeNull();
  expect(idle.rpc.calls).toEqual([]);

  const silent = open({ refuses: "getBlocks" });
  silent.halt("transactions");
  silent.begin(silent.ours());
  expect(await silent.pass(120)).toBeNull();
});
