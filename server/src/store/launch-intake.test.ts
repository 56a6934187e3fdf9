import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newLaunch } from "../testing/launches.ts";
import { type IntakeLimits, type NewLaunch, UNBOUNDED } from "./launch-intake.ts";
import { openStore } from "./store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const DAY_MS = 86_400_000;

const temp = storeWithOtherWallet(false);

const now = () => temp.clock.now();

/** Stores one launch of each ticker, in one batch. @returns the outcome of each */
function insert(
  tickers: readonly string[],
  limits: Partial<IntakeLimits>,
  other: Partial<NewLaunch> = {},
): string[] {
  const batch = tickers.map((ticker) => newLaunch(ticker, { createdAt: now(), ...other }));
  return temp.store.launches.insert(batch, { ...UNBOUNDED, ...limits }).map(({ kind }) => kind);
}

function retry(eventId: string, limits: Partial<IntakeLimits> = {}, address: string | null = null) {
  const origin = { address, now: now() };
  return temp.store.launches.retry("agent", eventId, origin, { ...UNBOUNDED, ...limits }).kind;
}

/** Stores a launch that fails at once. @returns its event id */
function insertFailed(ticker: string, other: Partial<NewLaunch> = {}): string {
  const eventId = insertLaunch(temp, ticker, other);
  if (lease(temp, ticker)?.eventId !== eventId) throw new Error(`${ticker} is not next`);
  temp.store.launches.fail(eventId, ticker, "refused", now());
  return eventId;
}

describe("the daily limit of an agent", () => {
  test("counts each agent's launches, in one batch and in several", () => {
    const limits = { maxOfAgent: 2 };
    expect(insert(["A1"], limits)).toEqual(["stored"]);
    expect(insert(["A2", "A3", "A4"], limits)).toEqual([
      "stored",
      "agent_launch_limit",
      "agent_launch_limit",
    ]);
    expect(insert(["B1"], limits, { wallet: "other" })).toEqual(["stored"]);
  });

  test("starts anew at midnight UTC, and still holds if the clock steps back", () => {
    const limits = { maxOfAgent: 1 };
    temp.clock.set(Date.UTC(2026, 2, 2) - 1);
    expect(insert(["A1", "A2"], limits)).toEqual(["stored", "agent_launch_limit"]);
    temp.clock.advance(1);
    expect(insert(["A2", "A3"], limits)).toEqual(["stored", "agent_launch_limit"]);
    temp.clock.advance(-1);
    expect(insert(["A3"], limits)).toEqual(["agent_launch_limit"]);
  });
});

describe("the daily limit of an address", () => {
  const limits = { maxOfAddress: 2 };
  const address = "192.0.2.1";

  test("counts launches and retries of all agents of the address, and of no other address", () => {
    const failed = insertFailed("FAILED");
    expect(insert(["A1"], limits, { address })).toEqual(["stored"]);
    expect(retry(failed, limits, address)).toBe("stored");
    expect(insert(["A2"], limits, { address, wallet: "other" })).toEqual(["address_launch_limit"]);
    expect(insert(["A2"], limits, { address: "192.0.2.2" })).toEqual(["stored"]);
    expect(insert(["A3"], limits, { address: null })).toEqual(["stored"]);
  });

  test("survives a restart, and forgets days before yesterday", () => {
    insert(["A1", "A2"], limits, { address });
    const other = openStore(temp.path, temp.clock);
    const batch = [newLaunch("A3", { createdAt: now(), address })];
    expect(other.launches.insert(batch, { ...UNBOUNDED, ...limits })).toEqual([
      { kind: "address_launch_limit" },
    ]);
    other.close();
    // Yesterday's count is kept: the clock may step back into it.
    temp.clock.advance(DAY_MS);
    expect(insert(["B1"], limits, { address })).toEqual(["stored"]);
    temp.clock.advance(-DAY_MS);
    expect(insert(["B2"], limits, { address })).toEqual(["address_launch_limit"]);
    temp.clock.advance(2 * DAY_MS);
    insert(["C1"], limits, { address });
    temp.clock.advance(-2 * DAY_MS);
    expect(insert(["B2"], limits, { address })).toEqual(["stored"]);
  });
});

describe("an address's share of the queue", () => {
  const limits = { maxPendingOfAddress: 1 };
  const address = "192.0.2.1";

  test("has room again when a launch leaves the queue, and counts a retry for the address that retries", () => {
    const failed = insertFailed("FAILED", { address: "192.0.2.9" });
    expect(insert(["A1", "A2"], limits, { address })).toEqual(["stored", "address_queue_share"]);
    expect(retry(failed, limits, address)).toBe("address_queue_share");
    expect(retry(failed, limits, "192.0.2.2")).toBe("stored");
    expect(insert(["B1"], limits, { address: "192.0.2.2" })).toEqual(["address_queue_share"]);
    expect(insert(["B1"], limits, { address: "192.0.2.9" })).toEqual(["stored"]);
    const first = lease(temp, "first");
    expect(first?.eventId).toBe(failed);
    temp.store.launches.limit("agent", "first", "once a day", now());
    expect(insert(["C1", "C2"], limits, { address })).toEqual(["stored", "address_queue_share"]);
  });
});

describe("the daily budget", () => {
  test("is read once in a batch, and only for new requests", () => {
    let asked = 0;
    const isSpent = () => {
      asked++;
      return true;
    };
    const idempotency = { key: "key", requestHash: "hash" };
    const known = newLaunch("KNOWN", { idempotency });
    const { launches } = temp.store;
    launches.insert([known]);
    const again = { ...known, eventId: crypto.randomUUID() };
    expect(launches.insert([again], UNBOUNDED, isSpent)).toMatchObject([{ kind: "replayed" }]);
    expect(asked).toBe(0);
    const outcomes = launches.insert([newLaunch("A1"), newLaunch("A2"), again], UNBOUNDED, isSpent);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "daily_budget_spent",
      "daily_budget_spent",
      "replayed",
    ]);
    expect(asked).toBe(1);
  });

  test("stops retries too, once it is spent", () => {
    const failed = insertFailed("FAILED");
    const origin = { address: null, now: now() };
    const { launches } = temp.store;
    expect(launches.retry("agent", failed, origin, UNBOUNDED, () => true).kind).toBe(
      "daily_budget_spent",
    );
    expect(launches.find("agent", failed)?.status).toBe("failed");
  });
});

describe("a ticker", () => {
  test("goes from a failed launch to another one a day later, and not a moment before", () => {
    const failed = insertFailed("WANTED");
    temp.clock.advance(DAY_MS - 1);
    expect(insert(["WANTED"], {}, { wallet: "other" })).toEqual(["ticker_taken"]);
    temp.clock.advance(1);
    expect(insert(["WANTED", "WANTED"], {}, { wallet: "other" })).toEqual([
      "stored",
      "ticker_taken",
    ]);
    expect(retry(failed)).toBe("ticker_taken");
    expect(temp.store.launches.find("agent", failed)?.status).toBe("failed");
  });

  test("goes to the launch that is retried first, once the other has given it up too", () => {
    const first = insertFailed("SHARED");
    temp.clock.advance(DAY_MS);
    const second = insertFailed("SHARED");
    expect(retry(first)).toBe("ticker_taken");
    temp.clock.advance(DAY_MS);
    expect(retry(first)).toBe("stored");
    expect(retry(second)).toBe("ticker_taken");
  });

  test("stays for ever with a token, and with a launch that may get one", () => {
    insertToken(temp, "TOKEN");
    const retried = insertFailed("RETRIED");
    insertLaunch(temp, "PENDING", { wallet: "other" });
    temp.clock.advance(2 * DAY_MS);
    expect(retry(retried)).toBe("stored");
    temp.clock.advance(1_000 * DAY_MS);
    const limits = { tickerHoldMs: 0 };
    expect(insert(["TOKEN", "PENDING", "RETRIED"], limits, { wallet: "third" })).toEqual([
      "ticker_taken",
      "ticker_taken",
      "ticker_taken",
    ]);
  });

  test("stays with its launch if the request for it is refused for another reason", () => {
    const failed = insertFailed("KEPT");
    temp.clock.advance(2 * DAY_MS);
    expect(insert(["KEPT"], { maxPending: 0 }, { wallet: "other" })).toEqual(["queue_full"]);
    expect(insert(["OTHER"], {})).toEqual(["stored"]);
    expect(retry(failed)).toBe("stored");
  });
});
