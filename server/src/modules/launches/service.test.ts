import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LaunchRequest, LaunchStatus } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import { NOT_PAUSED } from "../../http/endpoint.ts";
import { AlreadyLaunchedError } from "../../launchpad/errors.ts";
import type { Signing } from "../../launchpad/signing/signing.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { newAttempt } from "../../store/testing/rows.ts";
import { insertLaunch, insertToken, lease } from "../../testing/launches.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { findRefusal } from "./check.ts";
import { LaunchGate } from "./refusals.ts";
import { LaunchService } from "./service.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let temp: TempStore;
let accepted: number;
let service: LaunchService;
beforeEach(() => {
  temp = tempStore();
  accepted = 0;
  service = newService();
});
afterEach(() => temp[Symbol.dispose]());

function newService(store = temp.store): LaunchService {
  return new LaunchService(store, () => {
    accepted++;
  });
}

function register(ticker: string, other: Partial<LaunchRequest> = {}, key: string | null = null) {
  return service.register(
    "agent",
    { name: `${ticker} token`, ticker, ...other },
    { idempotencyKey: key },
  );
}

describe("register", () => {
  test("the launch is on the disk when register returns, and the worker is notified", async () => {
    const answer = await register("ONE");
    expect(answer).toEqual({
      success: true,
      eventId: expect.stringMatching(UUID_V4),
      message: expect.stringContaining("accepted"),
    });
    expect(accepted).toBe(1);
    const other = openSqliteStore(temp.path, { clock: temp.clock });
    expect((await other.launches.find("agent", answer.eventId))?.status).toBe("pending");
    await other.close();
  });

  test("launches that arrive together are stored at most 512 in a commit", async () => {
    const batches: number[] = [];
    const { launches } = temp.store;
    const insert = launches.insert.bind(launches);
    launches.insert = (batch, limits) => {
      batches.push(batch.length);
      return insert(batch, limits);
    };
    await Promise.all(Array.from({ length: 600 }, (_, n) => register(`T${n}`)));
    expect([accepted, Math.max(...batches)]).toEqual([600, 512]);
  });

  test("under its key a launch has the same id, which makes its mint, also if the database has lost it", async () => {
    const order = { name: "ONE token", ticker: "ONE" };
    const before = await register("ONE", {}, "key");
    using other = tempStore();
    service = newService(other.store);
    const others = [
      await service.register("other", order, { idempotencyKey: "key" }),
      await service.register("agent", { ...order, ticker: "TWO" }, { idempotencyKey: "more" }),
    ].map(({ eventId }) => eventId);
    const again = await register("THREE", {}, "key");
    expect(again.eventId).toBe(before.eventId);
    expect(before.eventId).toMatch(UUID_V4);
    expect(new Set([again.eventId, ...others]).size).toBe(3);
  });

  test.each([
    ["name", { name: "Another" }],
    ["ticker", { ticker: "TWO" }],
    ["description", { description: "" }],
    ["imageUrl", { imageUrl: "https://example.com" }],
    ["website", { website: "https://example.com" }],
    ["twitter", { twitter: "https://x.com/example" }],
    ["telegram", { telegram: "https://t.me/example" }],
  ])("under one key another %s is refused", async (_, other) => {
    await register("ONE", {}, "key");
    expect(await serviceErrorFrom(() => register("ONE", other, "key"))).toMatchObject({
      wireCode: "idempotency_mismatch",
      message: "Idempotency-Key was used with another request",
    });
  });
});

describe("status", () => {
  test("a launch shows why it waits or failed, and no addresses of its attempt", async () => {
    const { eventId } = await register("ONE");
    await lease(temp, "holder");
    await temp.store.launches.recordAttempt(eventId, "holder", newAttempt("ONE"));
    const pending = {
      ...{ eventId, ticker: "ONE", status: "pending", processedAt: null },
      ...{ tokenMint: null, poolAddress: null, error: null },
    };
    expect(await service.status("agent", eventId)).toEqual({
      ...pending,
      waitingFor: "confirmation",
      waitingSince: new Date(temp.clock.now()).toISOString(),
    } as LaunchStatus);
    const error = "The chain refused it";
    await temp.store.launches.fail(eventId, "holder", { message: error, agentLamports: 15_000n });
    expect(await service.status("agent", eventId)).toEqual({
      ...{ ...pending, status: "failed", error, costSOL: 0.000015 },
      processedAt: new Date(temp.clock.now()).toISOString(),
    } as LaunchStatus);
  });

  test("another agent's launch does not exist, even once its own agent has read its end", async () => {
    const [ended, pending] = [await insertToken(temp, "ONE"), await register("TWO")];
    expect((await service.status("agent", ended.eventId)).status).toBe("success");
    for (const { eventId } of [pending, ended]) {
      const error = await serviceErrorFrom(() => service.status("other", eventId));
      expect(error).toMatchObject({ wireCode: "launch_not_found", message: "Launch not found" });
    }
  });
});

describe("what a launch waits for", () => {
  const trouble = { reason: "launch_wallet_short", since: 0 } as const;

  test("is its turn, or what the worker waits for, since both wait, unless it was tried itself", async () => {
    const untried = new LaunchService(temp.store, () => {}, {
      trouble: () => ({ ...trouble, since: temp.clock.now() + 5 }),
    });
    const { eventId } = await register("ONE");
    const waitingSince = new Date(temp.clock.now()).toISOString();
    const own = await service.status("agent", eventId);
    expect(own).toMatchObject({ waitingFor: "queue", waitingSince });
    const since = new Date(temp.clock.now() + 5).toISOString();
    const status = await untried.status("agent", eventId);
    expect(status).toMatchObject({ waitingFor: "launch_wallet_short", waitingSince: since });
    const [listed] = (await untried.list("agent", null, { limit: null, before: null })).launches;
    expect(listed?.waitingFor).toBe("launch_wallet_short");
    const paid = await insertLaunch(temp, "PAID", { wallet: "other", payer: "agent" });
    expect((await untried.status("other", paid)).waitingFor).toBe("agent_signature");
    await lease(temp, "holder");
    expect((await untried.status("agent", eventId)).waitingFor).toBe("deployment");
  });
});

describe("retry", () => {
  test("a launch that its agent pays for waits again only if its transaction would be handed out", async () => {
    const eventId = await insertLaunch(temp, "PAID", { payer: "agent" });
    await temp.store.launches.cancel("agent", eventId, "Cancelled");
    const refused = new ServiceError("launch_unaffordable");
    let refusal: unknown = refused;
    const chain = { checkLaunch: async () => ({ refusal }) } as unknown as Signing;
    const options = { findRefusal: (order: LaunchOrder) => findRefusal(chain, order) };
    const paying = new LaunchService(temp.store, () => {}, options);
    expect(await serviceErrorFrom(() => paying.retry("agent", eventId))).toBe(refused);
    expect((await paying.status("agent", eventId)).status).toBe("failed");
    // Step 1 records a token that the agent paid for and a restored database does not know.
    for (refusal of [null, new AlreadyLaunchedError({ tokenMint: "mint", poolAddress: "pool" })]) {
      await paying.retry("agent", eventId);
      const unsigned = await paying.status("agent", eventId);
      expect(unsigned).toMatchObject({ waitingFor: "agent_signature", signBy: expect.any(String) });
      await temp.store.launches.cancel("agent", eventId, "Cancelled");
    }
  });

  test("a pending or successful launch cannot be retried, and the answer names its status", async () => {
    const done = await insertToken(temp, "DONE");
    const pending = await register("ONE");
    for (const [{ eventId }, status] of [
      [done, "success"],
      [pending, "pending"],
    ] as const) {
      expect(await serviceErrorFrom(() => service.retry("agent", eventId))).toMatchObject({
        wireCode: "not_retryable",
        message: "Launch cannot be retried",
        advice: expect.stringContaining(`Its status is ${status}`),
      });
    }
  });
});

test("a wallet that holds too little is refused and told how much is missing", async () => {
  const gate = new LaunchGate(NOT_PAUSED, {
    minLamports: 20_000_000n,
    read: async ([wallet]) => [wallet === "rich" ? 20_000_000n : 19_999_999n],
  });
  const guarded = new LaunchService(temp.store, () => {}, { gate });
  const request = { name: "A token", ticker: "ONE" };
  expect(await guarded.register("rich", request)).toMatchObject({ success: true });
  await expect(guarded.register("poor", { ...request, ticker: "TWO" })).rejects.toMatchObject({
    wireCode: "agent_balance_low",
    facts: { requiredSOL: 0.02, balanceSOL: 0.019999999 },
    advice: expect.stringContaining("0.000000001 SOL to poor"),
  });
});

test("a balance that cannot be read is no objection: the worker looks again", async () => {
  const read = () => Promise.reject(new Error("no node answers"));
  const gate = new LaunchGate(NOT_PAUSED, { minLamports: 1n, read });
  expect(await gate.objections("agent")).toEqual([]);
});

test("balances are read by one request at a time, however many launches wait for it", async () => {
  const reads: (readonly string[])[] = [];
  const answer = Promise.withResolvers<void>();
  const read = async (wallets: readonly string[]) => {
    reads.push(wallets);
    await answer.promise;
    return wallets.map(() => 0n);
  };
  const gate = new LaunchGate(NOT_PAUSED, { minLamports: 1n, read });
  const wallets = Array.from({ length: 150 }, (_, index) => `wallet ${index}`);
  const objected = Promise.all(wallets.map((wallet) => gate.objections(wallet)));
  await turns();
  expect(reads).toEqual([wallets.slice(0, 100)]);
  answer.resolve();
  expect((await objected).flat()).toHaveLength(150);
  expect(reads).toHaveLength(2);
});

test("all objections are named at once, as launches are refused for them one after another", async () => {
  const gate = new LaunchGate(() => "maintenance", {
    minLamports: 1n,
    read: async ([wallet]) => [wallet === "rich" ? 1n : 0n],
  });
  const objections = async (wallet: string) =>
    (await gate.objections(wallet)).map(({ code }) => code);
  expect(await objections("agent")).toEqual(["paused", "agent_balance_low"]);
  expect(await objections("rich")).toEqual(["paused"]);
});
