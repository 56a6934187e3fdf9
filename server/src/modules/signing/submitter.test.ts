import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import type { ConfirmedClaim, LandedClaim, Signed } from "../../domain/signing.ts";
import {
  ChainUnavailableError,
  ExpiredError,
  FailedLaunchError,
  RefusedError,
  UnaffordableError,
} from "../../launchpad/errors.ts";
import type { PreparedLaunch, PreparedRow } from "../../store/prepared.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { Store } from "../../store/store.ts";
import {
  handOut,
  handOutLaunch,
  insertLaunch,
  insertToken,
  submit,
} from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { Submitter } from "./submitter.ts";

const BYTES = Uint8Array.of(1, 2, 3);

const signed = (signature = "signature", transaction = BYTES) => ({ signature, transaction });

/** One call of `Signing.submit`, which the test ends. */
interface Sending extends PromiseWithResolvers<LandedClaim> {
  readonly signed: Signed;
  readonly mayBeUnderWay: boolean;
  readonly signal: AbortSignal;
}

let temp: TempStore;
let sendings: Sending[];
let tried: string[];
let submitter: Submitter;
beforeEach(async () => {
  temp = tempStore();
  await insertToken(temp, "ONE");
  sendings = [];
  tried = [];
  submitter = newSubmitter(temp.store);
  await submitter.start();
  await turns();
});
afterEach(async () => {
  endSubmissions();
  await submitter.stop();
  temp[Symbol.dispose]();
});

function endSubmissions(): void {
  for (const { reject } of sendings) reject(new Error("the test is over"));
}

function newSubmitter(store: Store, log = createLog("silent")): Submitter {
  const chain = new ScriptedLaunchpad();
  chain.submit = async (asked, journal, signal) => {
    const earlier = await journal.record(asked);
    const outcome = Promise.withResolvers<LandedClaim>();
    const mayBeUnderWay = earlier !== null;
    sendings.push({ signed: { ...asked, ...earlier }, mayBeUnderWay, signal, ...outcome });
    return outcome.promise;
  };
  return new Submitter({ store, chain, log, onTried: (outcome) => void tried.push(outcome) });
}

const prepared = (messageHash = "hash") => handOut(temp, messageHash);

async function row(messageHash = "hash"): Promise<PreparedRow> {
  const found = await temp.store.prepared.find("agent", messageHash);
  if (!found) throw new Error("no such row");
  return found;
}

async function interrupted(left: PreparedRow): Promise<void> {
  await submit(temp, left);
  await temp.store.prepared.recover();
}

function sending(index: number): Sending {
  const found = sendings[index];
  if (!found) throw new Error(`submit was called ${sendings.length} times`);
  return found;
}

const PAID = { signature: "signature", paidLamports: 7n };
const LANDED = landed("signature");

function landed(signature: string): LandedClaim {
  const payouts = [{ tokenMint: "mint-ONE", bondingCurve: 7n, liquidityPool: 0n }];
  return { signature, paidLamports: 7n, payouts };
}

test("a claim is stored before it is sent, and recorded before it is answered", async () => {
  const outcome = submitter.submit(await prepared(), signed()).outcome;
  await turns();
  expect(await row()).toMatchObject({ status: "submitted", signature: "signature" });
  sending(0).resolve(LANDED);
  expect(await outcome).toEqual(LANDED);
  expect(await row()).toMatchObject({ status: "confirmed", paidLamports: 7n });
  expect(await submitter.submit(await row(), signed()).outcome).toEqual(PAID);
  expect(sendings).toHaveLength(1);
});

const unaffordable = new UnaffordableError("claim", "agent", { required: 2n, balance: 1n });

test.each([
  ["a refusal", new RefusedError("claim", "no"), "refused", []],
  ["a wallet that cannot pay", unaffordable, "insufficient_sol", []],
  ["the expiry", new ExpiredError("claim"), "expired", ["claim.expired"]],
])(
  "after %s, the claim can be signed again, and is not resent by itself",
  async (_, fault, outcome, told) => {
    const submitted = submitter.submit(await prepared(), signed());
    await turns();
    sending(0).reject(fault);
    await expect(submitted.outcome).rejects.toBe(fault);
    expect(await row()).toMatchObject({ status: "prepared", signature: null });
    expect(tried).toEqual([outcome]);
    const read = await temp.store.events.read("agent", 0, 9);
    const types: string[] = "events" in read ? read.events.map(({ type }) => type) : [];
    expect(types.filter((type) => type.startsWith("claim."))).toEqual(told);
    temp.clock.advance(60_000);
    await turns();
    expect(sendings).toHaveLength(1);
  },
);

test("a claim that was deleted before it could be stored is not sent", async () => {
  const claim = await prepared();
  await temp.store.prepared.forgetExpired(temp.clock.now() + 1e9);
  const outcome = submitter.submit(claim, signed()).outcome;
  await expect(outcome).rejects.toBeInstanceOf(ExpiredError);
  expect(sendings).toEqual([]);
});

test.each([
  ["an RPC error", new ChainUnavailableError("No answer")],
  ["an unexpected error", new TypeError("unforeseen")],
])("after %s, the outcome is unknown, and the claim is resent by itself", async (_, fault) => {
  submitter.submit(await prepared(), signed());
  await turns();
  sending(0).reject(fault);
  await turns();
  expect((await row()).status).toBe("submitted");
  temp.clock.advance(5_000);
  await turns();
  expect(sending(1).signed).toMatchObject({ signature: "signature" });
  sending(1).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

test.each(["unsettled", "submit"] as const)(
  "claims with an unknown outcome for which %s fails are resent later",
  async (name) => {
    await interrupted(await prepared());
    spyOn(temp.store.prepared, name).mockImplementationOnce(() =>
      Promise.reject(new Error("the disk is full")),
    );
    await submitter.start();
    await turns();
    expect(sendings).toHaveLength(0);
    temp.clock.advance(5_000);
    await turns();
    expect(sendings.map(({ signed }) => signed.signature)).toEqual(["of hash"]);
  },
);

test("a claim that a crash interrupted is resent at the start", async () => {
  const claim = await prepared();
  await interrupted(claim);
  await prepared("never sent");
  await submitter.start();
  await turns();
  expect(sendings).toHaveLength(1);
  expect(sending(0).signed).toMatchObject({
    agent: "agent",
    signature: "of hash",
    lastValidBlockHeight: 150,
  });
  sending(0).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

test("a confirmed claim that could not be recorded is recorded later", async () => {
  const failing = openSqliteStore(temp.path, { clock: temp.clock });
  const first = newSubmitter(failing);
  const outcome = first.submit(await prepared(), signed()).outcome;
  await turns();
  await failing.close();
  sending(0).resolve(LANDED);
  await expect(outcome).rejects.toThrow();
  // The process survives even if the database cannot be read.
  temp.clock.advance(20_000);
  await turns();
  await first.stop();
  await submitter.start();
  await turns();
  sending(1).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

describe("a claim that another server sends", () => {
  const shared = () => ({ ...temp.store, isShared: true });
  let other: Submitter;
  let outcome: Promise<ConfirmedClaim>;
  beforeEach(async () => {
    submitter.submit(await prepared(), signed("first"));
    await turns();
    other = newSubmitter(shared());
    outcome = other.submit(await row(), signed("second", Uint8Array.of(9))).outcome;
    outcome.catch(() => {});
    await turns();
    expect(sendings).toHaveLength(1);
  });
  afterEach(async () => {
    endSubmissions();
    await other.stop();
  });

  async function pass(milliseconds: number): Promise<void> {
    temp.clock.advance(milliseconds);
    await turns();
  }

  test("is not sent a second time, and both servers give its one outcome", async () => {
    await pass(500);
    expect(Bun.peek.status(outcome)).toBe("pending");
    sending(0).resolve(landed("first"));
    await turns();
    await pass(500);
    expect(await outcome).toEqual({ signature: "first", paidLamports: 7n });
    expect(sendings).toHaveLength(1);
  });

  test("is held as long as it is in flight there", async () => {
    for (let seconds = 0; seconds < 150; seconds += 5) await pass(5_000);
    expect(sendings).toHaveLength(1);
  });

  test("is sent again with the first bytes once that server has given it back", async () => {
    sending(0).reject(new ChainUnavailableError("No answer"));
    await turns();
    await pass(500);
    expect(sending(1)).toMatchObject({ signed: { signature: "first" }, mayBeUnderWay: true });
    expect([...sending(1).signed.transaction]).toEqual([1, 2, 3]);
  });

  test("is not sent again once that server has found it expired, which its agent is told once", async () => {
    for (let seconds = 0; seconds < 60; seconds += 5) await pass(5_000);
    sending(0).reject(new ExpiredError("claim"));
    await turns();
    await pass(500);
    expect(sendings).toHaveLength(1);
    await expect(outcome).rejects.toBeInstanceOf(ExpiredError);
    const read = await temp.store.events.read("agent", null, 9);
    const types = read.kind === "events" ? read.events.map(({ type }) => type) : [];
    expect(types).toEqual(["launch.succeeded", "claim.expired"]);
  });

  test("is taken over once the lease of a server that died has run out", async () => {
    spyOn(temp.store.prepared, "renew").mockImplementation(() => Promise.reject(new Error("dead")));
    for (let ms = 0; ms < 59_500; ms += 500) await pass(500);
    expect(sendings).toHaveLength(1);
    await pass(500);
    expect(sending(1).signed.signature).toBe("first");
  });

  test("keeps no stop waiting", async () => {
    await other.stop();
    await expect(outcome).rejects.toBeInstanceOf(ChainUnavailableError);
  });
});

test("a server that shares its database takes up what another has left behind, without a restart", async () => {
  const other = newSubmitter({ ...temp.store, isShared: true });
  await other.start();
  await turns();
  const claim = await prepared();
  await submit(temp, claim);
  temp.clock.advance(10_000);
  await turns();
  expect(sendings).toHaveLength(0);
  temp.clock.advance(60_000);
  await turns();
  expect(sending(0)).toMatchObject({ signed: { signature: "of hash" }, mayBeUnderWay: true });
  sending(0).reject(new ChainUnavailableError("The test is over"));
  await other.stop();
});

test("stop cancels the claims in flight, waits for their end, and leaves their outcomes unknown", async () => {
  submitter.submit(await prepared(), signed());
  await turns();
  const stopping = submitter.stop();
  expect(sending(0).signal.aborted).toBe(true);
  await turns();
  expect(Bun.peek.status(stopping)).toBe("pending");
  sending(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  temp.clock.advance(60_000);
  await turns();
  expect(sendings).toHaveLength(1);
  expect((await row()).status).toBe("submitted");
});

describe("a launch that its agent pays for", () => {
  const submitted = async () => {
    const row = await handOutLaunch(temp, "PAID", { wallet: "payer" });
    const submission = submitter.submit(row, signed("of PAID"));
    await submission.stored;
    return { row, ...submission };
  };
  const find = ({ eventId }: PreparedLaunch) => temp.store.launches.find("payer", eventId);
  const read = ({ eventId }: PreparedLaunch) => temp.store.launches.read("payer", eventId);
  const nothing = { signature: "of PAID", paidLamports: 0n, payouts: [] };

  test("ends with its token once it has landed, and counts as no claim", async () => {
    const { row, outcome } = await submitted();
    expect(sending(0).signed).toMatchObject({
      ...{ kind: "launch", agent: "payer", order: { ticker: "PAID", payer: "agent" } },
      tokens: [{ tokenMint: "mint-PAID", poolAddress: "pool-PAID" }],
    });
    expect(await read(row)).toMatchObject({ status: "pending", signature: "of PAID" });
    sending(0).resolve(nothing);
    await outcome;
    expect(await find(row)).toMatchObject({ status: "success", tokenMint: "mint-PAID" });
    expect((await temp.store.tokens.find("payer", "mint-PAID"))?.eventId).toBe(row.eventId);
    expect((await temp.store.prepared.read(row.id))?.status).toBe("confirmed");
    expect(tried).toEqual([]);
  });

  test("that landed and failed ends failed, says what it took, and frees its ticker", async () => {
    const { row, outcome } = await submitted();
    sending(0).reject(new FailedLaunchError(new RefusedError("launch", "It refused"), 15_000n));
    await expect(outcome).rejects.toBeInstanceOf(FailedLaunchError);
    expect(await find(row)).toMatchObject({
      ...{ status: "failed", error: "It refused", agentLamports: 15_000n },
    });
    await insertLaunch(temp, "PAID", { wallet: "newCreator" });
  });

  test("that expired waits to be signed again, until its one deadline", async () => {
    const { row, outcome } = await submitted();
    const { signBy } = (await read(row)) ?? {};
    temp.clock.advance(60_000);
    sending(0).reject(new ExpiredError("launch"));
    await expect(outcome).rejects.toBeInstanceOf(ExpiredError);
    expect(await read(row)).toMatchObject({ status: "pending", signature: null, signBy });
    expect((await find(row))?.wait).toMatchObject({ reason: "agent_signature" });
    expect((await temp.store.prepared.read(row.id))?.status).toBe("prepared");
    temp.clock.advance(60_000);
    await turns();
    expect(sendings).toHaveLength(1);
  });
});
