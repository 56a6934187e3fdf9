import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newAttempt } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import type { LaunchRow } from "./launch-row.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const DAY = "2026-03-01";

const temp = storeWithOtherWallet(true);

function take(
  ticker: string,
  leaseId = "holder",
  wallet = "agent",
  address: string | null = null,
): LaunchRow {
  insertLaunch(temp, ticker, { wallet, address });
  const launch = lease(temp, leaseId);
  if (launch?.ticker !== ticker) throw new Error(`${ticker} was not taken`);
  return launch;
}

/** What the database's file holds about a launch's transaction. */
function signed(eventId: string): unknown {
  using client = new Database(temp.path);
  return client
    .query(
      "select signature, length([transaction]) as bytes, address from launches where event_id = ?",
    )
    .get(eventId);
}

const status = (eventId: string) => temp.store.launches.find("agent", eventId);

test("a launch that succeeds has its token", () => {
  const launch = take("ONE");
  const { tokenMint, poolAddress } = newAttempt("ONE");
  temp.clock.advance(5);
  const now = temp.clock.now();
  expect(temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress }, now)).toBe(true);
  expect(status(launch.eventId)).toMatchObject({
    status: "success",
    processedAt: now,
    error: null,
    tokenMint,
    poolAddress,
  });
  expect(temp.store.tokens.find("agent", tokenMint)).toMatchObject({
    tokenMint,
    poolAddress,
    eventId: launch.eventId,
    wallet: "agent",
    ticker: "ONE",
    name: "ONE token",
    deployedAt: now,
    claimedAt: null,
    claimedTo: null,
  });
});

test("a launch with a token reads the same each time, and never for another wallet", () => {
  const launch = take("ONE");
  expect(status(launch.eventId)).toMatchObject({ status: "pending" });
  const token = { tokenMint: "mint", poolAddress: "pool" };
  temp.store.launches.succeed(launch, "holder", token, 1);
  const found = status(launch.eventId);
  expect(found).toMatchObject({ status: "success", ...token });
  expect(status(launch.eventId)).toMatchObject({ ...found });
  expect(temp.store.launches.find("stranger", launch.eventId)).toBeNull();
});

test("a launch without a token is read anew, because it can be retried", () => {
  const launch = take("ONE");
  temp.store.launches.fail(launch.eventId, "holder", "no", 1);
  expect(status(launch.eventId)).toMatchObject({ status: "failed" });
  expect(temp.store.launches.retry("agent", launch.eventId, { address: null, now: 2 }).kind).toBe(
    "stored",
  );
  expect(status(launch.eventId)).toMatchObject({ status: "pending", error: null });
});

test("a worker that does not hold the lease settles nothing", () => {
  const launch = take("ONE");
  const before = temp.store.launches.find("agent", launch.eventId);
  const { launches } = temp.store;
  const token = { tokenMint: "mint", poolAddress: "pool" };
  expect(launches.succeed(launch, "stranger", token, 1)).toBe(false);
  expect(launches.fail(launch.eventId, "stranger", "no", 1)).toBe(false);
  expect(launches.postpone(launch.eventId, "stranger", 1)).toBe(false);
  expect(launches.renew(launch.eventId, "stranger", 1)).toBe(false);
  expect(launches.recordAttempt(launch.eventId, "stranger", newAttempt("ONE"), DAY)).toBe(false);
  expect(status(launch.eventId)).toEqual(before);
  expect(temp.store.tokens.list("agent")).toEqual([]);
  expect(launches.postpone(launch.eventId, "holder", temp.clock.now())).toBe(true);
  expect(lease(temp, "next")).toMatchObject({ signature: null, attempts: 2 });
});

test("a launch that has ended cannot be settled again, not even by its holder", () => {
  const launch = take("ONE");
  temp.store.launches.fail(launch.eventId, "holder", "refused", 7);
  const token = { tokenMint: "mint", poolAddress: "pool" };
  expect(temp.store.launches.succeed(launch, "holder", token, 8)).toBe(false);
  expect(status(launch.eventId)).toMatchObject({ status: "failed", error: "refused" });
});

test("a token that cannot be stored leaves its launch pending", () => {
  insertToken(temp, "ONE");
  const launch = take("TWO");
  const { tokenMint, poolAddress } = newAttempt("ONE");
  const succeed = () =>
    temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress }, 9);
  expect(succeed).toThrow("UNIQUE");
  expect(status(launch.eventId)?.status).toBe("pending");
  expect(temp.store.launches.fail(launch.eventId, "holder", "refused", 10)).toBe(true);
});

test("a launch that has ended keeps its signature, and not its signed bytes or its address", () => {
  const ends: Record<string, (launch: LaunchRow) => void> = {
    success: (launch) =>
      temp.store.launches.succeed(launch, "holder", newAttempt(launch.ticker), 7),
    failed: ({ eventId }) => temp.store.launches.fail(eventId, "holder", "refused", 7),
    rate_limited: () => temp.store.launches.limit("agent", "holder", "once a day", 7),
  };
  for (const [end, settle] of Object.entries(ends)) {
    const launch = take(end.slice(0, 4).toUpperCase(), "holder", "agent", "192.0.2.1");
    const attempt = newAttempt(launch.ticker);
    temp.store.launches.recordAttempt(launch.eventId, "holder", attempt, DAY);
    expect(signed(launch.eventId)).toEqual({
      signature: attempt.signature,
      bytes: 3,
      address: "192.0.2.1",
    });
    settle(launch);
    expect(status(launch.eventId)?.status).toBe(end as LaunchRow["status"]);
    expect(signed(launch.eventId)).toEqual({
      signature: attempt.signature,
      bytes: null,
      address: null,
    });
  }
});

test("an attempt is stored with all its fields", () => {
  const launch = take("ONE");
  temp.store.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"), DAY);
  temp.store.launches.postpone(launch.eventId, "holder", temp.clock.now());
  const again = lease(temp, "next");
  expect(again).toMatchObject({
    signature: "signature-ONE",
    lastValidBlockHeight: 150,
    tokenMint: "mint-ONE",
    poolAddress: "pool-ONE",
  });
  expect([...(again?.transaction ?? [])]).toEqual([1, 2, 3]);
});

describe("the limit of one launch a day", () => {
  test("counts a launch that succeeded, for its wallet and its day", () => {
    insertToken(temp, "ONE");
    expect(temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(true);
    expect(temp.store.launches.hasLaunchedOn("agent", "2026-03-02")).toBe(false);
    expect(temp.store.launches.hasLaunchedOn("other", DAY)).toBe(false);
  });

  test("does not count a launch that failed", () => {
    temp.store.launches.fail(take("ONE").eventId, "holder", "refused", 1);
    expect(temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(false);
  });

  test("counts a launch for the day in which it was signed last", () => {
    const launch = take("ONE");
    temp.store.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"), "2026-03-02");
    const { tokenMint, poolAddress } = newAttempt("ONE");
    temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress }, 1);
    expect(temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(false);
    expect(temp.store.launches.hasLaunchedOn("agent", "2026-03-02")).toBe(true);
  });

  test("ends the leased launch and all that wait behind it", () => {
    const done = insertToken(temp, "DONE");
    const one = take("ONE");
    const two = insertLaunch(temp, "TWO");
    const other = insertLaunch(temp, "OTHER", { wallet: "other" });
    temp.store.launches.limit("agent", "holder", "once a day", 42);
    for (const eventId of [one.eventId, two]) {
      expect(status(eventId)).toMatchObject({
        status: "rate_limited",
        processedAt: 42,
        error: "once a day",
      });
    }
    expect(status(done.eventId)?.status).toBe("success");
    expect(temp.store.launches.find("other", other)?.status).toBe("pending");
    expect(temp.store.launches.backlog().depth).toBe(2);
  });
});

describe("a retry", () => {
  test.each(["failed", "rate_limited"])("puts a %s launch back in the queue as new", (end) => {
    const { eventId } = take("ONE");
    temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"), DAY);
    if (end === "failed") temp.store.launches.fail(eventId, "holder", "refused", 1);
    else temp.store.launches.limit("agent", "holder", "once a day", 1);
    temp.clock.advance(1_000);
    const now = temp.clock.now();
    expect(temp.store.launches.retry("agent", eventId, { address: null, now }).kind).toBe("stored");
    expect(status(eventId)).toMatchObject({
      ticker: "ONE",
      status: "pending",
      processedAt: null,
      error: null,
      tokenMint: null,
      poolAddress: null,
    });
    expect(lease(temp, "next")).toMatchObject({ eventId, signature: null, transaction: null });
  });

  test("puts back only its own launch, behind those that came meanwhile", () => {
    const one = take("ONE");
    temp.store.launches.fail(one.eventId, "holder", "refused", 1);
    const two = take("TWO");
    temp.store.launches.fail(two.eventId, "holder", "refused", 2);
    temp.clock.advance(1_000);
    insertLaunch(temp, "OTHER", { wallet: "other" });
    temp.clock.advance(1_000);
    const now = temp.clock.now();
    temp.store.launches.retry("agent", two.eventId, { address: null, now });
    expect(status(one.eventId)).toMatchObject({ status: "failed", processedAt: 1 });
    expect([lease(temp, "a")?.ticker, lease(temp, "b")?.ticker]).toEqual(["OTHER", "TWO"]);
  });

  test("is refused for a pending launch, for a token, and for another wallet's launch", () => {
    const done = insertToken(temp, "DONE");
    const failed = take("GONE", "holder", "other");
    temp.store.launches.fail(failed.eventId, "holder", "refused", 1);
    const pending = insertLaunch(temp, "ONE");
    for (const eventId of [done.eventId, failed.eventId, pending, crypto.randomUUID()]) {
      const { kind } = temp.store.launches.retry("agent", eventId, { address: null, now: 2 });
      expect(["unknown", "not_ended"]).toContain(kind);
    }
    expect(temp.store.launches.backlog().depth).toBe(2);
  });
});

test("the backlog counts pending launches and knows when the oldest was created", () => {
  const before = temp.clock.now();
  expect(temp.store.launches.backlog()).toEqual({ depth: 1, oldestCreatedAt: before });
  take("ONE");
  insertLaunch(temp, "TWO", { createdAt: 5 });
  insertToken(temp, "DONE", { wallet: "other" });
  expect(temp.store.launches.backlog()).toEqual({ depth: 3, oldestCreatedAt: 5 });
  using empty = tempStore();
  expect(empty.store.launches.backlog()).toEqual({ depth: 0, oldestCreatedAt: null });
});
