import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import type { ConfirmedClaim, LandedClaim } from "../../domain/claim.ts";
import {
  ChainUnavailableError,
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { SignedClaim } from "../../launchpad/launchpad.ts";
import type { ClaimRow } from "../../store/claims.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import type { Store } from "../../store/store.ts";
import { insertToken } from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { ClaimSubmitter } from "./submitter.ts";

const BYTES = Uint8Array.of(1, 2, 3);

const signed = (signature = "signature", transaction = BYTES) => ({ signature, transaction });

interface Submission extends PromiseWithResolvers<LandedClaim> {
  readonly claim: SignedClaim;
  readonly mayBeUnderWay: boolean;
  readonly signal: AbortSignal;
}

let temp: TempStore;
let submissions: Submission[];
let submitter: ClaimSubmitter;
beforeEach(async () => {
  temp = tempStore();
  await insertToken(temp, "ONE");
  submissions = [];
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
  for (const submission of submissions) submission.reject(new Error("the test is over"));
}

function newSubmitter(store: Store, log = createLog("silent")): ClaimSubmitter {
  const chain = new ScriptedLaunchpad();
  chain.submitClaim = async (signed, journal, signal) => {
    const earlier = await journal.record(signed);
    const claim = { ...signed, ...earlier };
    const outcome = Promise.withResolvers<LandedClaim>();
    submissions.push({ claim, mayBeUnderWay: earlier !== null, signal, ...outcome });
    return outcome.promise;
  };
  return new ClaimSubmitter({ store, chain, log });
}

async function prepared(messageHash = "hash"): Promise<ClaimRow> {
  const times = { preparedAt: 0, expiresAt: 60_000, lastValidBlockHeight: 150 };
  const claim = { wallet: "agent", tokenMint: "mint-ONE", messageHash, ...times };
  await temp.store.claims.prepare(claim);
  return row(messageHash);
}

async function row(messageHash = "hash"): Promise<ClaimRow> {
  const claim = await temp.store.claims.find("agent", messageHash);
  if (!claim) throw new Error("no such claim");
  return claim;
}

/** Stores a signed claim, as a process did that has died. */
async function interrupted(id: number): Promise<void> {
  await temp.store.claims.submit(
    id,
    { id: "dead", ms: 60_000 },
    { signature: "signature", transaction: BYTES },
  );
  await temp.store.claims.recover();
}

function submission(index: number): Submission {
  const found = submissions[index];
  if (!found) throw new Error(`submitClaim was called ${submissions.length} times`);
  return found;
}

const PAID = { signature: "signature", paidLamports: 7n };
const LANDED = landed("signature");

function landed(signature: string): LandedClaim {
  const payouts = [{ tokenMint: "mint-ONE", bondingCurve: 7n, liquidityPool: 0n }];
  return { signature, paidLamports: 7n, payouts };
}

test("a claim is stored before it is sent, and recorded before it is answered", async () => {
  const outcome = submitter.submit(await prepared(), signed());
  await turns();
  expect(await row()).toMatchObject({ status: "submitted", signature: "signature" });
  submission(0).resolve(LANDED);
  expect(await outcome).toEqual(LANDED);
  expect(await row()).toMatchObject({ status: "confirmed", paidLamports: 7n });
  expect(await submitter.submit(await row(), signed())).toEqual(PAID);
  expect(submissions).toHaveLength(1);
});

test("what no vault of its tokens paid of a claim is logged, and the claim is recorded", async () => {
  const lines: string[] = [];
  const log = createLog("warn", [], { write: (line) => void lines.push(line) });
  const other = newSubmitter(temp.store, log);
  const outcome = other.submit(await prepared(), signed());
  await turns();
  submission(0).resolve({ ...LANDED, paidLamports: 9n });
  await outcome;
  expect(await row()).toMatchObject({ status: "confirmed", paidLamports: 9n });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { tokenMint: "mint-ONE", lamports: "2" },
  ]);
  await other.stop();
});

test("what a claim of several tokens paid is recorded for each of them", async () => {
  temp.clock.advance(86_400_000);
  await insertToken(temp, "TWO");
  const times = { preparedAt: 0, expiresAt: 1e15, lastValidBlockHeight: 150 };
  const tokens = { tokenMint: "mint-ONE", otherMints: ["mint-TWO"] };
  await temp.store.claims.prepare({ wallet: "agent", ...tokens, messageHash: "both", ...times });
  const outcome = submitter.submit(await row("both"), signed());
  await turns();
  expect(submission(0).claim.tokens).toMatchObject([
    { tokenMint: "mint-ONE" },
    { tokenMint: "mint-TWO" },
  ]);
  const payouts = [
    { tokenMint: "mint-ONE", bondingCurve: 3n, liquidityPool: 0n },
    { tokenMint: "mint-TWO", bondingCurve: 0n, liquidityPool: 4n },
  ];
  submission(0).resolve({ ...PAID, payouts });
  await outcome;
  const whole = { tokenMint: null, from: null, to: null, limit: null, before: null };
  const { rows } = await temp.store.claims.history("agent", whole);
  expect(rows).toMatchObject([
    { ticker: "ONE", bondingCurve: 3n, liquidityPool: 0n },
    { ticker: "TWO", bondingCurve: 0n, liquidityPool: 4n },
  ]);
});

test("a wallet that cannot pay is logged at info only", async () => {
  const lines: string[] = [];
  const log = createLog("debug", [], { write: (line) => void lines.push(line) });
  const other = newSubmitter(temp.store, log);
  const outcome = other.submit(await prepared(), signed());
  await turns();
  submission(0).reject(new InsufficientSolError("agent", { required: 2n, balance: 1n }));
  await expect(outcome).rejects.toMatchObject({ required: 2n });
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(["info"]);
  await other.stop();
});

test.each([
  ["a refusal", new ClaimRefusedError("no")],
  ["a wallet that cannot pay", new InsufficientSolError("agent", { required: 2n, balance: 1n })],
  ["the expiry", new ClaimExpiredError("gone")],
])("after %s, the claim can be signed again, and is not resent by itself", async (_, fault) => {
  const outcome = submitter.submit(await prepared(), signed());
  await turns();
  submission(0).reject(fault);
  expect(outcome).rejects.toBe(fault);
  await turns();
  expect(await row()).toMatchObject({ status: "prepared", signature: null });
  temp.clock.advance(60_000);
  await turns();
  expect(submissions).toHaveLength(1);
});

test.each([
  ["expires", new ClaimExpiredError("gone"), ["claim.expired"]],
  ["is refused", new ClaimRefusedError("no"), []],
])("a claim that %s after it was sent adds the right events", async (_, fault, types) => {
  const outcome = submitter.submit(await prepared(), signed());
  await turns();
  submission(0).reject(fault);
  await expect(outcome).rejects.toBe(fault);
  const read = await temp.store.events.read("agent", 1, 9);
  expect(read.kind === "events" && read.events.map(({ type }) => type)).toEqual(types as never);
});

test("a claim that was deleted before it could be stored is not sent", async () => {
  const claim = await prepared();
  await temp.store.claims.forgetExpired(temp.clock.now());
  const outcome = submitter.submit(claim, signed());
  await expect(outcome).rejects.toBeInstanceOf(ClaimExpiredError);
  expect(submissions).toEqual([]);
});

test.each([
  ["an RPC error", new ChainUnavailableError("No answer")],
  ["an unexpected error", new TypeError("unforeseen")],
])("after %s, the outcome is unknown, and the claim is resent by itself", async (_, fault) => {
  submitter.submit(await prepared(), signed()).catch(() => {});
  await turns();
  submission(0).reject(fault);
  await turns();
  expect((await row()).status).toBe("submitted");
  temp.clock.advance(5_000);
  await turns();
  expect(submission(1).claim).toMatchObject({ signature: "signature" });
  submission(1).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

/** Submits a claim whose outcome stays unknown. */
async function leaveOpen(messageHash: string): Promise<void> {
  const index = submissions.length;
  submitter.submit(await prepared(messageHash), signed(messageHash)).catch(() => {});
  await turns();
  submission(index).reject(new ChainUnavailableError("No answer"));
  await turns();
}

test("claims that fail one after another are resent together, soon after the first failure", async () => {
  await leaveOpen("one");
  temp.clock.advance(4_000);
  await leaveOpen("two");
  temp.clock.advance(999);
  await turns();
  expect(submissions).toHaveLength(2);
  temp.clock.advance(1);
  await turns();
  expect(submissions.slice(2).map(({ claim }) => claim.signature)).toEqual(["one", "two"]);
});

test("claims that were read earlier are not read again at the time that was planned", async () => {
  const reads = spyOn(temp.store.claims, "unsettled");
  await leaveOpen("one");
  await submitter.start();
  await turns();
  expect(submissions).toHaveLength(2);
  expect(reads).toHaveBeenCalledTimes(1);
  temp.clock.advance(60_000);
  await turns();
  expect(reads).toHaveBeenCalledTimes(1);
});

test("a claim counts as under way after it was sent, and not before", async () => {
  await leaveOpen("one");
  temp.clock.advance(5_000);
  await turns();
  expect(submissions.map(({ mayBeUnderWay }) => mayBeUnderWay)).toEqual([false, true]);
});

test("claims with an unknown outcome that cannot be read are read later", async () => {
  const reads = spyOn(temp.store.claims, "unsettled");
  reads.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")));
  const claim = await prepared();
  await interrupted(claim.id);
  await submitter.start();
  await turns();
  expect(submissions).toHaveLength(0);
  temp.clock.advance(5_000);
  await turns();
  expect(submissions).toHaveLength(1);
});

test("stop waits for the claims in flight to end", async () => {
  submitter.submit(await prepared(), signed()).catch(() => {});
  await turns();
  const stopping = submitter.stop();
  await turns();
  expect(Bun.peek.status(stopping)).toBe("pending");
  submission(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
});

test("after stop no claim is resent", async () => {
  const reads = spyOn(temp.store.claims, "unsettled");
  await leaveOpen("one");
  await submitter.stop();
  temp.clock.advance(60_000);
  await turns();
  expect(reads).not.toHaveBeenCalled();
  expect(submissions).toHaveLength(1);
});

test("a second signature does not replace the first while the outcome is unknown", async () => {
  submitter.submit(await prepared(), signed("first")).catch(() => {});
  await turns();
  submission(0).reject(new ChainUnavailableError("No answer"));
  await turns();
  const outcome = submitter.submit(await row(), signed("second", Uint8Array.of(9)));
  await turns();
  expect(submission(1).claim.signature).toBe("first");
  expect([...submission(1).claim.transaction]).toEqual([1, 2, 3]);
  submission(1).resolve(landed("first"));
  expect((await outcome).signature).toBe("first");
});

test("a claim that a full disk kept from being resent is resent later", async () => {
  const claim = await prepared();
  await interrupted(claim.id);
  spyOn(temp.store.claims, "submit").mockImplementationOnce(() =>
    Promise.reject(new Error("the disk is full")),
  );
  await submitter.start();
  await turns();
  expect(submissions).toHaveLength(0);
  temp.clock.advance(5_000);
  await turns();
  expect(submissions.map(({ claim }) => claim.signature)).toEqual(["signature"]);
});

test("a claim that a crash interrupted is resent at the start", async () => {
  const claim = await prepared();
  await interrupted(claim.id);
  await prepared("never sent");
  await submitter.start();
  await turns();
  expect(submissions).toHaveLength(1);
  expect(submission(0).claim).toMatchObject({
    agent: "agent",
    signature: "signature",
    lastValidBlockHeight: 150,
  });
  submission(0).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

test("a confirmed claim that could not be recorded is recorded later", async () => {
  const failing = openSqliteStore(temp.path, { clock: temp.clock });
  const first = newSubmitter(failing);
  const outcome = first.submit(await prepared(), signed());
  await turns();
  await failing.close();
  submission(0).resolve(LANDED);
  await expect(outcome).rejects.toThrow();
  // The process also survives that the database cannot be read.
  temp.clock.advance(20_000);
  await turns();
  await first.stop();
  await submitter.start();
  await turns();
  submission(1).resolve(LANDED);
  await turns();
  expect((await row()).status).toBe("confirmed");
});

test("a claim that could not be given back after a failure is, before it is resent", async () => {
  const releases = spyOn(temp.store.claims, "release");
  releases.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")));
  await leaveOpen("one");
  temp.clock.advance(5_000);
  await turns();
  expect(releases).toHaveBeenCalledTimes(2);
  submission(1).resolve(landed("one"));
  await turns();
  expect((await row("one")).status).toBe("confirmed");
});

describe("a claim that another server sends", () => {
  /** The store as servers see it that share it. */
  const shared = () => ({ ...temp.store, isShared: true });
  let other: ClaimSubmitter;
  let outcome: Promise<ConfirmedClaim>;
  beforeEach(async () => {
    submitter.submit(await prepared(), signed("first")).catch(() => {});
    await turns();
    other = newSubmitter(shared());
    outcome = other.submit(await row(), signed("second", Uint8Array.of(9)));
    outcome.catch(() => {});
    await turns();
    expect(submissions).toHaveLength(1);
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
    submission(0).resolve(landed("first"));
    await turns();
    await pass(500);
    expect(await outcome).toEqual({ signature: "first", paidLamports: 7n });
    expect(submissions).toHaveLength(1);
  });

  test("is held as long as it is in flight there", async () => {
    for (let seconds = 0; seconds < 150; seconds += 5) await pass(5_000);
    expect(submissions).toHaveLength(1);
  });

  test("is sent again with the first bytes once that server has given it back", async () => {
    submission(0).reject(new ChainUnavailableError("No answer"));
    await turns();
    await pass(500);
    expect(submission(1)).toMatchObject({ claim: { signature: "first" }, mayBeUnderWay: true });
    expect([...submission(1).claim.transaction]).toEqual([1, 2, 3]);
  });

  test("is taken over once the lease of a server that died has run out", async () => {
    spyOn(temp.store.claims, "renew").mockImplementation(() => Promise.reject(new Error("dead")));
    for (let ms = 0; ms < 59_500; ms += 500) await pass(500);
    expect(submissions).toHaveLength(1);
    await pass(500);
    expect(submission(1).claim.signature).toBe("first");
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
  await temp.store.claims.submit(
    claim.id,
    { id: "dead", ms: 60_000 },
    { signature: "signature", transaction: BYTES },
  );
  temp.clock.advance(10_000);
  await turns();
  expect(submissions).toHaveLength(0);
  temp.clock.advance(60_000);
  await turns();
  expect(submission(0)).toMatchObject({ claim: { signature: "signature" }, mayBeUnderWay: true });
  submission(0).reject(new ChainUnavailableError("The test is over"));
  await other.stop();
});

test("stop cancels the claims in flight, and their outcomes stay unknown", async () => {
  submitter.submit(await prepared(), signed()).catch(() => {});
  await turns();
  const stopping = submitter.stop();
  expect(submission(0).signal.aborted).toBe(true);
  submission(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  temp.clock.advance(60_000);
  await turns();
  expect(submissions).toHaveLength(1);
  expect((await row()).status).toBe("submitted");
});
