import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import {
  ChainUnavailableError,
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { ConfirmedClaim, SignedClaim } from "../../launchpad/launchpad.ts";
import type { ClaimRow } from "../../store/claims.ts";
import { openStore, type Store } from "../../store/store.ts";
import { insertToken } from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { ClaimSubmitter } from "./submitter.ts";

const BYTES = Uint8Array.of(1, 2, 3);

interface Submission extends PromiseWithResolvers<ConfirmedClaim> {
  readonly claim: SignedClaim;
  readonly signal: AbortSignal;
}

let temp: TempStore;
let submissions: Submission[];
let submitter: ClaimSubmitter;
beforeEach(() => {
  jest.useFakeTimers();
  temp = tempStore();
  insertToken(temp, "ONE");
  submissions = [];
  submitter = newSubmitter(temp.store);
});
afterEach(async () => {
  for (const submission of submissions) submission.reject(new Error("the test is over"));
  await submitter.stop();
  temp[Symbol.dispose]();
  jest.useRealTimers();
});

function newSubmitter(store: Store, log = createLog("silent")): ClaimSubmitter {
  const chain = new ScriptedLaunchpad();
  chain.submitClaim = (claim, signal) => {
    const submission = { claim, signal, ...Promise.withResolvers<ConfirmedClaim>() };
    submissions.push(submission);
    return submission.promise;
  };
  return new ClaimSubmitter(store.claims, store.tokens, chain, temp.clock, log);
}

function prepared(messageHash = "hash"): ClaimRow {
  const times = { preparedAt: 0, expiresAt: 60_000, lastValidBlockHeight: 150 };
  const claim = { wallet: "agent", tokenMint: "mint-ONE", messageHash, ...times };
  temp.store.claims.prepare(claim);
  return row(messageHash);
}

function row(messageHash = "hash"): ClaimRow {
  const claim = temp.store.claims.find("agent", "mint-ONE", messageHash);
  if (!claim) throw new Error("no such claim");
  return claim;
}

function submission(index: number): Submission {
  const found = submissions[index];
  if (!found) throw new Error(`submitClaim was called ${submissions.length} times`);
  return found;
}

const PAID = { signature: "signature", paidLamports: 7n };

test("a claim is stored before it is sent, and recorded before it is answered", async () => {
  const outcome = submitter.submit(prepared(), "signature", BYTES);
  await turns();
  expect(row()).toMatchObject({ status: "submitted", signature: "signature" });
  submission(0).resolve(PAID);
  expect(await outcome).toEqual(PAID);
  expect(row()).toMatchObject({ status: "confirmed", paidLamports: 7n });
  expect(await submitter.submit(row(), "signature", BYTES)).toEqual(PAID);
  expect(submissions).toHaveLength(1);
});

test("a wallet that cannot pay is logged at info only", async () => {
  const lines: string[] = [];
  const log = createLog("debug", [], { write: (line) => void lines.push(line) });
  const other = newSubmitter(temp.store, log);
  const outcome = other.submit(prepared(), "signature", BYTES);
  await turns();
  submission(0).reject(new InsufficientSolError("agent", 2n, 1n));
  await expect(outcome).rejects.toMatchObject({ required: 2n });
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(["info"]);
  await other.stop();
});

test.each([
  ["a refusal", new ClaimRefusedError("no")],
  ["a wallet that cannot pay", new InsufficientSolError("agent", 2n, 1n)],
  ["the expiry", new ClaimExpiredError("gone")],
])("after %s, the claim can be signed again, and is not resent by itself", async (_, fault) => {
  const outcome = submitter.submit(prepared(), "signature", BYTES);
  await turns();
  submission(0).reject(fault);
  expect(outcome).rejects.toBe(fault);
  await turns();
  expect(row()).toMatchObject({ status: "prepared", signature: null });
  jest.advanceTimersByTime(60_000);
  await turns();
  expect(submissions).toHaveLength(1);
});

test("a claim that was deleted before it could be stored is not sent", async () => {
  const claim = prepared();
  temp.store.claims.forgetExpired(temp.clock.now());
  const outcome = submitter.submit(claim, "signature", BYTES);
  await expect(outcome).rejects.toBeInstanceOf(ClaimExpiredError);
  expect(submissions).toEqual([]);
});

test.each([
  ["an RPC error", new ChainUnavailableError("No answer")],
  ["an unexpected error", new TypeError("unforeseen")],
])("after %s, the outcome is unknown, and the claim is resent by itself", async (_, fault) => {
  submitter.submit(prepared(), "signature", BYTES).catch(() => {});
  await turns();
  submission(0).reject(fault);
  await turns();
  expect(row().status).toBe("submitted");
  jest.advanceTimersByTime(5_000);
  await turns();
  expect(submission(1).claim).toMatchObject({ signature: "signature" });
  submission(1).resolve(PAID);
  await turns();
  expect(row().status).toBe("confirmed");
});

/** Submits a claim whose outcome stays unknown. */
async function leaveOpen(messageHash: string): Promise<void> {
  const index = submissions.length;
  submitter.submit(prepared(messageHash), messageHash, BYTES).catch(() => {});
  await turns();
  submission(index).reject(new ChainUnavailableError("No answer"));
  await turns();
}

test("claims that fail one after another are resent together, after the last failure", async () => {
  await leaveOpen("one");
  jest.advanceTimersByTime(4_000);
  await leaveOpen("two");
  jest.advanceTimersByTime(4_999);
  await turns();
  expect(submissions).toHaveLength(2);
  jest.advanceTimersByTime(1);
  await turns();
  expect(submissions.slice(2).map(({ claim }) => claim.signature)).toEqual(["one", "two"]);
});

test("a resume replaces the one that was scheduled", async () => {
  const reads = spyOn(temp.store.claims, "submitted");
  await leaveOpen("one");
  submitter.resume();
  await turns();
  expect(submissions).toHaveLength(2);
  expect(reads).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(60_000);
  await turns();
  expect(reads).toHaveBeenCalledTimes(1);
});

test("a claim counts as under way after it was sent, and not before", async () => {
  await leaveOpen("one");
  jest.advanceTimersByTime(5_000);
  await turns();
  expect(submissions.map(({ claim }) => claim.mayBeUnderWay)).toEqual([false, true]);
});

test("claims with an unknown outcome that cannot be read are read later", async () => {
  const reads = spyOn(temp.store.claims, "submitted");
  reads.mockImplementationOnce(() => {
    throw new Error("the disk is full");
  });
  const claim = prepared();
  temp.store.claims.submit(claim.id, "signature", BYTES);
  submitter.resume();
  await turns();
  expect(submissions).toHaveLength(0);
  jest.advanceTimersByTime(5_000);
  await turns();
  expect(submissions).toHaveLength(1);
});

test("stop waits for the claims in flight to end", async () => {
  submitter.submit(prepared(), "signature", BYTES).catch(() => {});
  await turns();
  const stopping = submitter.stop();
  await turns();
  expect(Bun.peek.status(stopping)).toBe("pending");
  submission(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
});

test("after stop no claim is resent", async () => {
  const reads = spyOn(temp.store.claims, "submitted");
  await leaveOpen("one");
  await submitter.stop();
  jest.advanceTimersByTime(60_000);
  await turns();
  expect(reads).not.toHaveBeenCalled();
  expect(submissions).toHaveLength(1);
});

test("a second signature does not replace the first while the outcome is unknown", async () => {
  submitter.submit(prepared(), "first", BYTES).catch(() => {});
  await turns();
  submission(0).reject(new ChainUnavailableError("No answer"));
  await turns();
  const outcome = submitter.submit(row(), "second", Uint8Array.of(9));
  await turns();
  expect(submission(1).claim.signature).toBe("first");
  expect([...submission(1).claim.transaction]).toEqual([1, 2, 3]);
  submission(1).resolve({ signature: "first", paidLamports: 7n });
  expect((await outcome).signature).toBe("first");
});

test("a claim that a full disk kept from being resent is resent later", async () => {
  const claim = prepared();
  temp.store.claims.submit(claim.id, "signature", BYTES);
  spyOn(temp.store.claims, "submit").mockImplementationOnce(() => {
    throw new Error("the disk is full");
  });
  submitter.resume();
  await turns();
  expect(submissions).toHaveLength(0);
  jest.advanceTimersByTime(5_000);
  await turns();
  expect(submissions.map(({ claim }) => claim.signature)).toEqual(["signature"]);
});

test("a claim that a crash interrupted is resent at the start", async () => {
  const claim = prepared();
  temp.store.claims.submit(claim.id, "signature", BYTES);
  prepared("never sent");
  submitter.resume();
  await turns();
  expect(submissions).toHaveLength(1);
  expect(submission(0).claim).toMatchObject({
    agent: "agent",
    signature: "signature",
    lastValidBlockHeight: 150,
  });
  submission(0).resolve(PAID);
  await turns();
  expect(row().status).toBe("confirmed");
});

test("a confirmed claim that could not be recorded is recorded later", async () => {
  const failing = openStore(temp.path, temp.clock);
  const first = newSubmitter(failing);
  const outcome = first.submit(prepared(), "signature", BYTES);
  await turns();
  failing.close();
  submission(0).resolve(PAID);
  await expect(outcome).rejects.toThrow();
  // The process also survives that the database cannot be read.
  jest.advanceTimersByTime(20_000);
  await turns();
  await first.stop();
  submitter.resume();
  await turns();
  submission(1).resolve(PAID);
  await turns();
  expect(row().status).toBe("confirmed");
});

test("stop cancels the claims in flight, and their outcomes stay unknown", async () => {
  submitter.submit(prepared(), "signature", BYTES).catch(() => {});
  await turns();
  const stopping = submitter.stop();
  expect(submission(0).signal.aborted).toBe(true);
  submission(0).reject(new ChainUnavailableError("The server is stopping"));
  await stopping;
  jest.advanceTimersByTime(60_000);
  await turns();
  expect(submissions).toHaveLength(1);
  expect(row().status).toBe("submitted");
});
