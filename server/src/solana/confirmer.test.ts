import { describe, expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { openTestChain, transfer } from "../localnet/testing/local-chain.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { Confirmer, type ConfirmerOptions, NoProgressError } from "./confirmer.ts";
import { createConnection } from "./connection.ts";
import { nameOf } from "./message.ts";
import { FaultyRpc } from "./testing/faulty-rpc.ts";

const never = new AbortController().signal;

/** Makes a confirmer on an embedded chain. Each of its pauses advances the chain by a slot. */
function testConfirmer(options: ConfirmerOptions = {}) {
  const { chain, clock, wallet } = openTestChain();
  const payer = wallet();
  const rpc = FaultyRpc.of(chain);
  const connection = createConnection("http://localnet.invalid", { fetch: rpc.fetch });
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    clock.advanceSlots(1);
    // Bun 1.4.5 has once let `setImmediate` wait for the next timer, each time.
    await new Promise((resolve) => setTimeout(resolve));
  };
  let number = 0n;
  const sign = () => {
    const { lastValidBlockHeight } = chain.latestBlockhash();
    const transaction = transfer(chain, payer, ++number, payer.publicKey);
    const send = async () => chain.sendTransaction(transaction, { skipPreflight: true });
    return { sent: { signature: nameOf(transaction), transaction, lastValidBlockHeight }, send };
  };
  const confirmer = new Confirmer(connection, { pause, clock: new ManualClock(), ...options });
  return { chain, rpc, confirmer, sign, pauses };
}

const nothing = async () => {};
const sumOf = (pauses: readonly number[]) => pauses.reduce((sum, pause) => sum + pause, 0);

test("256 transactions take one request together, and 300 two", async () => {
  const { confirmer, sign, rpc } = testConfirmer();
  const all = Array.from({ length: 300 }, sign);
  const waits = all.map(({ sent }) => confirmer.wait({ sent, resend: nothing, signal: never }));
  for (const { send } of all) await send();
  const outcomes = await Promise.all(waits);
  expect(outcomes.every(({ kind }) => kind === "landed")).toBe(true);
  expect(rpc.calls).toHaveLength(2);
});

test("the requests for all transactions are none of the request's that waits first", async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const pause = async () => void seen.push(request.getStore());
  const { confirmer, sign } = testConfirmer({ pause });
  const { sent, send } = sign();
  await send();
  await request.run("first", () => confirmer.wait({ sent, resend: nothing, signal: never }));
  expect(seen).toEqual([undefined]);
});

test("no request is made while no transaction waits", async () => {
  const { confirmer, sign, rpc, pauses } = testConfirmer();
  const { sent, send } = sign();
  await send();
  const outcome = await confirmer.wait({ sent, resend: nothing, signal: never });
  expect(outcome.kind).toBe("landed");
  await new Promise((resolve) => setImmediate(resolve));
  expect(pauses).toEqual([500]);
  expect(rpc.calls).toEqual(["getSignatureStatuses"]);
  const next = sign();
  await next.send();
  await confirmer.wait({ sent: next.sent, resend: nothing, signal: never });
  expect(rpc.calls).toHaveLength(2);
});

test.each([400, 200])(
  "a transaction is sent again after ten blocks of %i ms, and then again, until it lands",
  async (msPerBlock) => {
    const { confirmer, sign, pauses } = testConfirmer({ pace: { msPerBlock } });
    const { sent, send } = sign();
    const sentAt: number[] = [];
    const resend = async () => {
      sentAt.push(Math.floor(sumOf(pauses) / (10 * msPerBlock)));
      if (sentAt.length === 1) throw new Error("request lost");
      if (sentAt.length === 3) await send();
    };
    const outcome = await confirmer.wait({ sent, resend, signal: never });
    expect(outcome.kind).toBe("landed");
    expect(sentAt).toEqual([1, 2, 3]);
  },
);

test.each([
  ["alike", [380]],
  ["by the phase of a slot", [250, 550, 350, 450]],
  ["at once", [40]],
  ["slowly", [1_300, 1_500, 1_400]],
])("transactions that land %s are found soon, with few requests", async (_, times) => {
  const { confirmer, sign, rpc, pauses } = testConfirmer();
  let landsAfter = 0;
  let hasLanded = false;
  rpc.rewrite("getSignatureStatuses", (answer) => {
    hasLanded = sumOf(pauses) >= landsAfter;
    if (!hasLanded) answer.result.value[0] = null;
    return answer;
  });
  let [lateMs, landingMs] = [0, 0];
  const [learning, counted] = [40, 40];
  for (let count = 0; count < learning + counted; count++) {
    if (count === learning) [lateMs, landingMs, rpc.calls.length] = [0, 0, 0];
    const { sent, send } = sign();
    await send();
    pauses.length = 0;
    landsAfter = times[count % times.length] as number;
    await confirmer.wait({ sent, resend: nothing, signal: never });
    lateMs += sumOf(pauses) - landsAfter;
    landingMs += landsAfter;
  }
  // A launch makes four other requests before these.
  expect(rpc.calls.length / counted).toBeLessThanOrEqual(3);
  expect(lateMs / counted).toBeLessThanOrEqual(Math.max(70, (0.2 * landingMs) / counted));
});

test("a transaction that never lands expires, with one request after a pause", async () => {
  const { confirmer, sign, chain, rpc, pauses } = testConfirmer();
  const { sent } = sign();
  const outcome = await confirmer.wait({ sent, resend: nothing, signal: never });
  expect(outcome.kind).toBe("expired");
  expect(chain.blockHeight()).toBeGreaterThan(sent.lastValidBlockHeight);
  expect(pauses.length).toBeLessThan(175);
  expect(rpc.calls).toHaveLength(pauses.length);
});

test("a transaction that lands in its last block has not expired", async () => {
  const { confirmer, sign, chain } = testConfirmer();
  const { sent, send } = sign();
  const resend = async () => {
    if (chain.blockHeight() > sent.lastValidBlockHeight - 8) await send();
  };
  expect((await confirmer.wait({ sent, resend, signal: never })).kind).toBe("landed");
});

test("a transaction that is only processed is not final", async () => {
  const { confirmer, sign, rpc, pauses } = testConfirmer();
  const { sent, send } = sign();
  await send();
  let looks = 0;
  rpc.rewrite("getSignatureStatuses", (answer) => {
    looks += 1;
    if (looks < 4) {
      answer.result.value[0] = {
        ...answer.result.value[0],
        confirmations: 0,
        confirmationStatus: "processed",
      };
    }
    return answer;
  });
  expect((await confirmer.wait({ sent, resend: nothing, signal: never })).kind).toBe("landed");
  expect(pauses).toHaveLength(4);
});

test("a wait lasts as long as a blockhash on a cluster of slow blocks", async () => {
  const { confirmer, sign, pauses } = testConfirmer({ tickMs: 2_000, pace: { msPerBlock: 2_000 } });
  const outcome = await confirmer.wait({ sent: sign().sent, resend: nothing, signal: never });
  expect(outcome.kind).toBe("expired");
  expect(pauses.length).toBeGreaterThan(150);
});

describe("a node that fails", () => {
  test("to show a new block for 180 s makes the wait reject", async () => {
    const { confirmer, sign, rpc, pauses } = testConfirmer();
    rpc.rewrite("getEpochInfo", (answer) => {
      answer.result.blockHeight = 1;
      return answer;
    });
    const waiting = confirmer.wait({ sent: sign().sent, resend: nothing, signal: never });
    await expect(waiting).rejects.toBeInstanceOf(NoProgressError);
    expect(pauses.length).toBeGreaterThan(360);
  });

  test("is asked after growing pauses, or after its Retry-After", async () => {
    const { confirmer, sign, rpc, pauses } = testConfirmer();
    const { sent, send } = sign();
    await send();
    rpc.spoilNext("getSignatureStatuses", "500", 3);
    await confirmer.wait({ sent, resend: nothing, signal: never });
    expect(pauses.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    pauses.length = 0;
    rpc.spoilNext("getSignatureStatuses", "429 with Retry-After");
    await confirmer.wait({ sent, resend: nothing, signal: never });
    expect(pauses[1]).toBe(7_000);
  });

  test("is asked after a longer pause if the block height cannot be read", async () => {
    const { confirmer, sign, rpc, pauses } = testConfirmer();
    rpc.spoilNext("getEpochInfo", "500", 2);
    const outcome = await confirmer.wait({ sent: sign().sent, resend: nothing, signal: never });
    expect(outcome.kind).toBe("expired");
    // The height is read after ten reads of statuses, and after ten more if that fails.
    const longer = pauses.flatMap((pause, index) => (pause === 1_000 ? index : []));
    expect(longer).toHaveLength(2);
    expect(longer.map((index) => rpc.calls[index - 1])).toEqual(["getEpochInfo", "getEpochInfo"]);
  });

  test("makes all waits reject after six requests", async () => {
    const { confirmer, sign, rpc } = testConfirmer();
    rpc.spoil(() => "request lost");
    const waits = [sign(), sign()].map(({ sent }) =>
      confirmer.wait({ sent, resend: nothing, signal: never }),
    );
    const outcomes = await Promise.allSettled(waits);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(rpc.calls).toHaveLength(6);
  });
});

describe("an abort", () => {
  test("ends the wait with its reason", async () => {
    const { confirmer, sign, rpc } = testConfirmer();
    const stop = new AbortController();
    const waiting = confirmer.wait({ sent: sign().sent, resend: nothing, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await new Promise((resolve) => setImmediate(resolve));
    expect(rpc.calls.length).toBeLessThanOrEqual(1);
  });

  test("before the wait rejects it at once", async () => {
    const { confirmer, sign, pauses } = testConfirmer();
    const signal = AbortSignal.abort(new Error("no"));
    const waiting = confirmer.wait({ sent: sign().sent, resend: nothing, signal });
    await expect(waiting).rejects.toThrow("no");
    expect(pauses).toEqual([]);
  });
});
