import { describe, expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newLaunch } from "../../testing/launches.ts";
import { type IntakeLimits, type NewLaunch, UNBOUNDED } from "../launch-intake.ts";
import { openSqliteStore } from "./store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const DAY_MS = 86_400_000;

const temp = storeWithOtherWallet(false);

const now = () => temp.clock.now();

/** Stores one launch of each ticker, in one batch. @returns the outcome of each */
async function insert(
  tickers: readonly string[],
  limits: Partial<IntakeLimits>,
  other: Partial<NewLaunch> = {},
): Promise<string[]> {
  const batch = tickers.map((ticker) => newLaunch(ticker, { createdAt: now(), ...other }));
  return (await temp.store.launches.insert(batch, { ...UNBOUNDED, ...limits })).map(
    ({ kind }) => kind,
  );
}

async function retry(
  eventId: string,
  limits: Partial<IntakeLimits> = {},
  address: string | null = null,
) {
  const origin = { address, now: now() };
  return (await temp.store.launches.retry("agent", eventId, origin, { ...UNBOUNDED, ...limits }))
    .kind;
}

/** Stores a launch that fails at once. @returns its event id */
async function insertFailed(ticker: string, other: Partial<NewLaunch> = {}): Promise<string> {
  const eventId = await insertLaunch(temp, ticker, other);
  if ((await lease(temp, ticker))?.eventId !== eventId) throw new Error(`${ticker} is not next`);
  await temp.store.launches.fail(eventId, ticker, "refused");
  return eventId;
}

describe("the daily limit of an agent", () => {
  test("counts each agent's launches, in one batch and in several", async () => {
    const limits = { maxOfAgent: 2 };
    expect(await insert(["A1"], limits)).toEqual(["stored"]);
    expect(await insert(["A2", "A3", "A4"], limits)).toEqual([
      "stored",
      "agent_launch_limit",
      "agent_launch_limit",
    ]);
    expect(await insert(["B1"], limits, { wallet: "other" })).toEqual(["stored"]);
  });

  test("starts anew at midnight UTC, and still holds if the clock steps back", async () => {
    const limits = { maxOfAgent: 1 };
    temp.clock.set(Date.UTC(2026, 2, 2) - 1);
    expect(await insert(["A1", "A2"], limits)).toEqual(["stored", "agent_launch_limit"]);
    temp.clock.advance(1);
    expect(await insert(["A2", "A3"], limits)).toEqual(["stored", "agent_launch_limit"]);
    temp.clock.advance(-1);
    expect(await insert(["A3"], limits)).toEqual(["agent_launch_limit"]);
  });
});

describe("the daily limit of an address", () => {
  const limits = { maxOfAddress: 2 };
  const address = "192.0.2.1";

  test("counts launches and retries of all agents of the address, and of no other address", async () => {
    const failed = await insertFailed("FAILED");
    expect(await insert(["A1"], limits, { address })).toEqual(["stored"]);
    expect(await retry(failed, limits, address)).toBe("stored");
    expect(await insert(["A2"], limits, { address, wallet: "other" })).toEqual([
      "address_launch_limit",
    ]);
    expect(await insert(["A2"], limits, { address: "192.0.2.2" })).toEqual(["stored"]);
    expect(await insert(["A3"], limits, { address: null })).toEqual(["stored"]);
  });

  test("survives a restart, and forgets days before yesterday", async () => {
    await insert(["A1", "A2"], limits, { address });
    const other = openSqliteStore(temp.path, { clock: temp.clock });
    const batch = [newLaunch("A3", { createdAt: now(), address })];
    expect(await other.launches.insert(batch, { ...UNBOUNDED, ...limits })).toEqual([
      { kind: "address_launch_limit" },
    ]);
    await other.close();
    // Yesterday's count is kept: the clock may step back into it.
    temp.clock.advance(DAY_MS);
    expect(await insert(["B1"], limits, { address })).toEqual(["stored"]);
    temp.clock.advance(-DAY_MS);
    expect(await insert(["B2"], limits, { address })).toEqual(["address_launch_limit"]);
    temp.clock.advance(2 * DAY_MS);
    await insert(["C1"], limits, { address });
    temp.clock.advance(-2 * DAY_MS);
    expect(await insert(["B2"], limits, { address })).toEqual(["stored"]);
  });
});

describe("a ticker", () => {
  test("goes from a failed launch to another one a day later, and not a moment before", async () => {
    const failed = await insertFailed("WANTED");
    temp.clock.advance(DAY_MS - 1);
    expect(await insert(["WANTED"], {}, { wallet: "other" })).toEqual(["ticker_taken"]);
    temp.clock.advance(1);
    expect(await insert(["WANTED", "WANTED"], {}, { wallet: "other" })).toEqual([
      "stored",
      "ticker_taken",
    ]);
    expect(await retry(failed)).toBe("ticker_taken");
    expect((await temp.store.launches.find("agent", failed))?.status).toBe("failed");
  });

  test("goes to the launch that is retried first, once the other has given it up too", async () => {
    const first = await insertFailed("SHARED");
    temp.clock.advance(DAY_MS);
    const second = await insertFailed("SHARED");
    expect(await retry(first)).toBe("ticker_taken");
    temp.clock.advance(DAY_MS);
    expect(await retry(first)).toBe("stored");
    expect(await retry(second)).toBe("ticker_taken");
  });

  test("stays for ever with a token, and with a launch that may get one", async () => {
    await insertToken(temp, "TOKEN");
    const retried = await insertFailed("RETRIED");
    await insertLaunch(temp, "PENDING", { wallet: "other" });
    temp.clock.advance(2 * DAY_MS);
    expect(await retry(retried)).toBe("stored");
    temp.clock.advance(1_000 * DAY_MS);
    const limits = { tickerHoldMs: 0 };
    expect(await insert(["TOKEN", "PENDING", "RETRIED"], limits, { wallet: "third" })).toEqual([
      "ticker_taken",
      "ticker_taken",
      "ticker_taken",
    ]);
  });

  test("stays with its launch if the request for it is refused for another reason", async () => {
    const failed = await insertFailed("KEPT");
    temp.clock.advance(2 * DAY_MS);
    expect(await insert(["KEPT"], { maxPending: 0 }, { wallet: "other" })).toEqual(["queue_full"]);
    expect(await insert(["OTHER"], {})).toEqual(["stored"]);
    expect(await retry(failed)).toBe("stored");
  });
});
