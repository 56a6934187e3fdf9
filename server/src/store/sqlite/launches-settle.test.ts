import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newAttempt } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";
import type { LaunchRow } from "../launch-row.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const DAY = "2026-03-01";

const temp = storeWithOtherWallet(true);

async function take(
  ticker: string,
  leaseId = "holder",
  wallet = "agent",
  address: string | null = null,
): Promise<LaunchRow> {
  await insertLaunch(temp, ticker, { wallet, address });
  const launch = await lease(temp, leaseId);
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

test("a launch that succeeds has its token", async () => {
  const launch = await take("ONE");
  const { tokenMint, poolAddress } = newAttempt("ONE");
  temp.clock.advance(5);
  const now = temp.clock.now();
  expect(await temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress })).toBe(
    true,
  );
  expect(await status(launch.eventId)).toMatchObject({
    status: "success",
    processedAt: now,
    error: null,
    tokenMint,
    poolAddress,
  });
  expect(await temp.store.tokens.find("agent", tokenMint)).toMatchObject({
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

test("a launch with a token reads the same each time, and never for another wallet", async () => {
  const launch = await take("ONE");
  expect(await status(launch.eventId)).toMatchObject({ status: "pending" });
  const token = { tokenMint: "mint", poolAddress: "pool" };
  await temp.store.launches.succeed(launch, "holder", token);
  const found = await status(launch.eventId);
  expect(found).toMatchObject({ status: "success", ...token });
  expect(await status(launch.eventId)).toMatchObject({ ...found });
  expect(await temp.store.launches.find("stranger", launch.eventId)).toBeNull();
});

test("a launch without a token is read anew, because it can be retried", async () => {
  const launch = await take("ONE");
  await temp.store.launches.fail(launch.eventId, "holder", "no");
  expect(await status(launch.eventId)).toMatchObject({ status: "failed" });
  expect(
    (await temp.store.launches.retry("agent", launch.eventId, { address: null, now: 2 })).kind,
  ).toBe("stored");
  expect(await status(launch.eventId)).toMatchObject({ status: "pending", error: null });
});

test("a worker that does not hold the lease settles nothing", async () => {
  const launch = await take("ONE");
  const before = await temp.store.launches.find("agent", launch.eventId);
  const { launches } = temp.store;
  const token = { tokenMint: "mint", poolAddress: "pool" };
  expect(await launches.succeed(launch, "stranger", token)).toBe(false);
  expect(await launches.fail(launch.eventId, "stranger", "no")).toBe(false);
  expect(await launches.postpone(launch.eventId, "stranger", 1)).toBe(false);
  expect(await launches.renew(launch.eventId, "stranger", 1)).toBe(false);
  expect(await launches.recordAttempt(launch.eventId, "stranger", newAttempt("ONE"))).toBe(
    "lease_lost",
  );
  expect(await status(launch.eventId)).toEqual(before);
  expect(await temp.store.tokens.list("agent")).toEqual([]);
  expect(await launches.postpone(launch.eventId, "holder", 0)).toBe(true);
  expect(await lease(temp, "next")).toMatchObject({ signature: null, attempts: 2 });
});

test("a launch that has ended cannot be settled again, not even by its holder", async () => {
  const launch = await take("ONE");
  await temp.store.launches.fail(launch.eventId, "holder", "refused");
  const token = { tokenMint: "mint", poolAddress: "pool" };
  expect(await temp.store.launches.succeed(launch, "holder", token)).toBe(false);
  expect(await status(launch.eventId)).toMatchObject({ status: "failed", error: "refused" });
});

test("a token that cannot be stored leaves its launch pending", async () => {
  await insertToken(temp, "ONE");
  const launch = await take("TWO");
  const { tokenMint, poolAddress } = newAttempt("ONE");
  const succeed = () => temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress });
  await expect(succeed()).rejects.toThrow("UNIQUE");
  expect((await status(launch.eventId))?.status).toBe("pending");
  expect(await temp.store.launches.fail(launch.eventId, "holder", "refused")).toBe(true);
});

test("a launch that has ended keeps its signature, and not its signed bytes or its address", async () => {
  const ends: Record<string, (launch: LaunchRow) => Promise<unknown>> = {
    failed: ({ eventId }) => temp.store.launches.fail(eventId, "holder", "refused"),
    rate_limited: () => temp.store.launches.limit("agent", "holder", "once a day"),
    success: (launch) => temp.store.launches.succeed(launch, "holder", newAttempt(launch.ticker)),
  };
  for (const [end, settle] of Object.entries(ends)) {
    const launch = await take(end.slice(0, 4).toUpperCase(), "holder", "agent", "192.0.2.1");
    const attempt = newAttempt(launch.ticker);
    await temp.store.launches.recordAttempt(launch.eventId, "holder", attempt);
    expect(signed(launch.eventId)).toEqual({
      signature: attempt.signature,
      bytes: 3,
      address: "192.0.2.1",
    });
    await settle(launch);
    expect((await status(launch.eventId))?.status).toBe(end as LaunchRow["status"]);
    expect(signed(launch.eventId)).toEqual({
      signature: attempt.signature,
      bytes: null,
      address: null,
    });
  }
});

test("an attempt is stored with all its fields", async () => {
  const launch = await take("ONE");
  await temp.store.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"));
  await temp.store.launches.postpone(launch.eventId, "holder", 0);
  const again = await lease(temp, "next");
  expect(again).toMatchObject({
    signature: "signature-ONE",
    lastValidBlockHeight: 150,
    tokenMint: "mint-ONE",
    poolAddress: "pool-ONE",
  });
  expect([...(again?.transaction ?? [])]).toEqual([1, 2, 3]);
});

describe("an attempt is not stored", () => {
  test("on a day on which the wallet has a token, and is on the next one", async () => {
    const { launches } = temp.store;
    await insertToken(temp, "OTHER", { wallet: "other" });
    await insertToken(temp, "DONE");
    const { eventId } = await take("ONE");
    const record = () => launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
    expect(await record()).toBe("launched_today");
    expect(signed(eventId)).toMatchObject({ signature: null, bytes: null });
    temp.clock.set(Date.UTC(2026, 2, 2));
    expect(await record()).toBe("recorded");
  });

  test("while another launch of the wallet may land that was signed on the same day", async () => {
    const { launches } = temp.store;
    const one = await take("ONE");
    await launches.recordAttempt(one.eventId, "holder", newAttempt("ONE"));
    const two = await insertLaunch(temp, "TWO");
    // No queue leases both at once: as if the first lease had been lost unseen.
    using client = new Database(temp.path);
    client.run("update launches set lease_id = 'second' where event_id = ?", [two]);
    const record = (eventId: string, leaseId: string, ticker: string) =>
      launches.recordAttempt(eventId, leaseId, newAttempt(ticker));
    expect(await record(two, "second", "TWO")).toBe("launched_today");
    expect(await record(one.eventId, "holder", "AGAIN")).toBe("recorded");
    temp.clock.set(Date.UTC(2026, 2, 2));
    expect(await record(two, "second", "TWO")).toBe("recorded");
  });
});

describe("the limit of one launch a day", () => {
  test("counts a launch that succeeded, for its wallet and its day", async () => {
    await insertToken(temp, "ONE");
    expect(await temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(true);
    expect(await temp.store.launches.hasLaunchedOn("agent", "2026-03-02")).toBe(false);
    expect(await temp.store.launches.hasLaunchedOn("other", DAY)).toBe(false);
  });

  test("does not count a launch that failed", async () => {
    await temp.store.launches.fail((await take("ONE")).eventId, "holder", "refused");
    expect(await temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(false);
  });

  test("counts a launch for the day in which it was signed last", async () => {
    const launch = await take("ONE");
    temp.clock.set(Date.UTC(2026, 2, 2));
    await temp.store.launches.recordAttempt(launch.eventId, "holder", newAttempt("ONE"));
    const { tokenMint, poolAddress } = newAttempt("ONE");
    await temp.store.launches.succeed(launch, "holder", { tokenMint, poolAddress });
    expect(await temp.store.launches.hasLaunchedOn("agent", DAY)).toBe(false);
    expect(await temp.store.launches.hasLaunchedOn("agent", "2026-03-02")).toBe(true);
  });

  test("ends the leased launch and all that wait behind it", async () => {
    const done = await insertToken(temp, "DONE");
    const one = await take("ONE");
    const two = await insertLaunch(temp, "TWO");
    const other = await insertLaunch(temp, "OTHER", { wallet: "other" });
    await temp.store.launches.limit("agent", "holder", "once a day");
    for (const eventId of [one.eventId, two]) {
      expect(await status(eventId)).toMatchObject({
        status: "rate_limited",
        processedAt: temp.clock.now(),
        error: "once a day",
      });
    }
    expect((await status(done.eventId))?.status).toBe("success");
    expect((await temp.store.launches.find("other", other))?.status).toBe("pending");
    expect((await temp.store.launches.backlog()).depth).toBe(2);
  });
});

describe("a retry", () => {
  test.each(["failed", "rate_limited"])(
    "puts a %s launch back in the queue as new",
    async (end) => {
      const { eventId } = await take("ONE");
      await temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
      if (end === "failed") await temp.store.launches.fail(eventId, "holder", "refused");
      else await temp.store.launches.limit("agent", "holder", "once a day");
      temp.clock.advance(1_000);
      const now = temp.clock.now();
      expect((await temp.store.launches.retry("agent", eventId, { address: null, now })).kind).toBe(
        "stored",
      );
      expect(await status(eventId)).toMatchObject({
        ticker: "ONE",
        status: "pending",
        processedAt: null,
        error: null,
        tokenMint: null,
        poolAddress: null,
      });
      expect(await lease(temp, "next")).toMatchObject({
        eventId,
        signature: null,
        transaction: null,
      });
    },
  );

  test("puts back only its own launch, behind those that came meanwhile", async () => {
    const one = await take("ONE");
    await temp.store.launches.fail(one.eventId, "holder", "refused");
    const two = await take("TWO");
    await temp.store.launches.fail(two.eventId, "holder", "refused");
    temp.clock.advance(1_000);
    await insertLaunch(temp, "OTHER", { wallet: "other" });
    temp.clock.advance(1_000);
    const now = temp.clock.now();
    await temp.store.launches.retry("agent", two.eventId, { address: null, now });
    expect(await status(one.eventId)).toMatchObject({
      status: "failed",
      processedAt: now - 2_000,
    });
    expect([(await lease(temp, "a"))?.ticker, (await lease(temp, "b"))?.ticker]).toEqual([
      "OTHER",
      "TWO",
    ]);
  });

  test("is refused for a pending launch, for a token, and for another wallet's launch", async () => {
    const done = await insertToken(temp, "DONE");
    const failed = await take("GONE", "holder", "other");
    await temp.store.launches.fail(failed.eventId, "holder", "refused");
    const pending = await insertLaunch(temp, "ONE");
    for (const eventId of [done.eventId, failed.eventId, pending, crypto.randomUUID()]) {
      const { kind } = await temp.store.launches.retry("agent", eventId, { address: null, now: 2 });
      expect(["unknown", "not_ended"]).toContain(kind);
    }
    expect((await temp.store.launches.backlog()).depth).toBe(2);
  });
});

test("the backlog counts pending launches and knows when the oldest was created", async () => {
  const before = temp.clock.now();
  expect(await temp.store.launches.backlog()).toEqual({ depth: 1, oldestCreatedAt: before });
  await take("ONE");
  await insertLaunch(temp, "TWO", { createdAt: 5 });
  await insertToken(temp, "DONE", { wallet: "other" });
  expect(await temp.store.launches.backlog()).toEqual({ depth: 3, oldestCreatedAt: 5 });
  using empty = tempStore();
  expect(await empty.store.launches.backlog()).toEqual({ depth: 0, oldestCreatedAt: null });
});
