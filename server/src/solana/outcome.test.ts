import { expect, test } from "bun:test";
import { sleep } from "../base/clock.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { Confirmer } from "./confirmer.ts";
import { createConnection, rawRequest } from "./connection.ts";
import { findOutcome, readStatuses, type SignatureStatus } from "./outcome.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";
import { rpcError } from "./testing/faulty-rpc.ts";
import { openNodes, SIGNATURE } from "./testing/rpc-test-node.ts";

function read(result: unknown, signatures = ["a"]) {
  const fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, result });
  return readStatuses(createConnection("http://node.invalid", { fetch }), signatures, true);
}

async function kindOf(entry: unknown): Promise<SignatureStatus> {
  const { slot, statuses } = await read({ context: { slot: 7 }, value: [entry] });
  expect(slot).toBe(7);
  return statuses[0] as SignatureStatus;
}

const landed = { slot: 5, confirmations: 3, err: null, confirmationStatus: "confirmed" };

test.each<[string, unknown, SignatureStatus["kind"]]>([
  ["no entry", null, "unknown"],
  ["the word confirmed", landed, "landed"],
  ["the word finalized", { ...landed, confirmationStatus: "finalized" }, "landed"],
  ["confirmed with fields of later versions", { ...landed, votes: { seen: true } }, "landed"],
  ["an unknown word", { ...landed, confirmationStatus: "notarized" }, "pending"],
  ["no word", { slot: 5, err: null, confirmations: null }, "pending"],
  ["a word that is not a text", { ...landed, confirmationStatus: 1 }, "pending"],
  ["confirmed without saying whether it failed", { ...landed, err: undefined }, "pending"],
  ["something else than an object", "confirmed", "pending"],
])("a status with %s is understood", async (_, entry, kind) => {
  expect((await kindOf(entry)).kind).toBe(kind);
});

test("a confirmed failure carries its error", async () => {
  const err = { InstructionError: [0, { Custom: 1 }] };
  expect(await kindOf({ ...landed, err })).toEqual({
    kind: "failed",
    slot: 5,
    error: err as never,
  });
});

test("one entry that cannot be understood leaves the others as they are", async () => {
  const { statuses } = await read({ context: { slot: 7 }, value: [{}, landed, null] }, [
    "a",
    "b",
    "c",
  ]);
  expect(statuses.map(({ kind }) => kind)).toEqual(["pending", "landed", "unknown"]);
});

test.each([
  [{ value: [null] }],
  [{ context: { slot: "7" }, value: [null] }],
  [{ context: { slot: 7 }, value: [] }],
  [{ context: { slot: 7 }, value: null }],
  [null],
])("an answer without a slot or a status for each signature proves nothing: %j", async (result) => {
  await expect(read(result)).rejects.toMatchObject({ kind: "garbage" });
});

/** A transaction that has expired on a node at the initial height. */
const SENT = { signature: SIGNATURE, lastValidBlockHeight: 899 };
const LANDED = { slot: 990, confirmations: null, err: null, confirmationStatus: "confirmed" };

test("a transaction has expired if all nodes are past it and none knows it", async () => {
  using server = await openNodes(3);
  expect(await findOutcome(server.connection, SENT)).toEqual({ kind: "expired", slot: 1_000 });
});

test("a transaction that one node knows has not expired, whatever the others say", async () => {
  using server = await openNodes(3);
  server.nodes[2].statuses.set(SIGNATURE, LANDED);
  expect(await findOutcome(server.connection, SENT)).toEqual({ kind: "landed", slot: 990 });
});

test("a transaction has not expired while a node that counts is not past it", async () => {
  using server = await openNodes(3);
  const [, second] = server.nodes;
  second.blockHeight = SENT.lastValidBlockHeight;
  expect(await findOutcome(server.connection, SENT)).toBeNull();
});

test("a node that is a little behind delays the expiry until it has caught up", async () => {
  using server = await openNodes(3);
  const [, second] = server.nodes;
  second.slot = 999;
  second.blockHeight = 901;
  // The others have the lowest height, at slot 1,000, which the second node has not reached.
  expect(await findOutcome(server.connection, SENT)).toBeNull();
  second.slot = 1_000;
  expect(await findOutcome(server.connection, SENT)).toEqual({ kind: "expired", slot: 1_000 });
});

test("a node that fails has no say in an expiry", async () => {
  using server = await openNodes(3);
  server.nodes[1].goDown();
  server.nodes[2].spoil(() => new Response("<html>"));
  expect(await findOutcome(server.connection, SENT)).toEqual({ kind: "expired", slot: 1_000 });
});

test("a wait ends as landed if the node that took the transaction dies and the next one has forgotten it", async () => {
  using server = await openNodes(3);
  const [first, , third] = server.nodes;
  third.statuses.set(SIGNATURE, LANDED);
  first.spoil(() => new Response("", { status: 503 }));
  const pause = (milliseconds: number) => sleep(server.clock, milliseconds);
  const waiting = new Confirmer(server.connection, { pause, clock: new ManualClock() }).wait({
    sent: { ...SENT, transaction: new Uint8Array() },
    resend: async () => {},
    signal: new AbortController().signal,
  });
  expect((await server.slotsUntil(waiting)).kind).toBe("landed");
});

test("a confirmed status outweighs one that is only processed", async () => {
  using server = await openNodes(3);
  const [first, second, third] = server.nodes;
  first.statuses.set(SIGNATURE, { ...LANDED, confirmationStatus: "processed", confirmations: 0 });
  second.statuses.set(SIGNATURE, LANDED);
  third.slot = 998;
  const both = [SIGNATURE, "4".repeat(87)];
  const { context, value } = await server.connection.getSignatureStatuses(both, {
    searchTransactionHistory: true,
  });
  expect(value[0]?.confirmationStatus).toBe("confirmed");
  expect(value[1]).toBeNull();
  // That the other is unknown is proven only at the oldest slot.
  expect(context.slot).toBe(998);
});

test("statuses of recent transactions are read from one node", async () => {
  using server = await openNodes(3);
  await server.connection.getSignatureStatuses([SIGNATURE]);
  expect(server.nodes.map((node) => node.count("getSignatureStatuses"))).toEqual([1, 0, 0]);
});

test("the slot of a status, which is only processed, does not make confirmed reads wait", async () => {
  using server = await openNodes(2);
  const [first] = server.nodes;
  first.statuses.set(SIGNATURE, LANDED);
  first.slot = 1_002;
  await server.connection.getSignatureStatuses([SIGNATURE]);
  first.slot = 1_000;
  await server.connection.getSlot();
  expect(first.count("getSlot")).toBe(2);
});

test("an error counts only if no node has an answer", async () => {
  using server = await openNodes(3);
  const wrong = () => rpcError(-32602, "Invalid param: Invalid");
  const search = () =>
    server.connection.getSignatureStatuses([SIGNATURE], { searchTransactionHistory: true });
  server.nodes[0].spoil(wrong);
  expect((await search()).value).toEqual([null]);
  for (const node of server.nodes) node.spoil(wrong);
  await expect(search()).rejects.toThrow("Invalid param");
});

test("only the first of several requests waits for a node that hangs", async () => {
  using server = await openNodes(3);
  const [, second] = server.nodes;
  second.spoil(() => new Promise<never>(() => {}));
  const finding = findOutcome(server.connection, SENT);
  await second.untilCalled("getSignatureStatuses", 1);
  await server.untilIdle(1);
  server.clock.advance(PATIENCE_MS);
  expect(await finding).toEqual({ kind: "expired", slot: 1_000 });
  expect(second.count("getSignatureStatuses")).toBe(1);
  expect(second.count("getEpochInfo")).toBe(0);
});

test("a transaction that one node does not return is read from another", async () => {
  using server = await openNodes(3);
  const [, , third] = server.nodes;
  const ask = () => rawRequest(server.connection, "getTransaction", [SIGNATURE]);
  expect(await ask()).toBeNull();
  third.transactions.set(SIGNATURE, { slot: 990 });
  expect(await ask()).toEqual({ slot: 990 });
});
