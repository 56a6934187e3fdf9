import { describe, expect, test } from "bun:test";
import {
  decide,
  type IntakeFacts,
  type IntakeRequest,
  type Refusal,
  type Standing,
  UNKNOWN_WALLET,
} from "./intake.ts";
import { type IntakeLimits, UNBOUNDED } from "./intake-limits.ts";

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;
const LAUNCH: IntakeRequest = {
  eventId: "id",
  wallet: "agent",
  ticker: "NEW",
  address: "192.0.2.1",
  now: NOW,
  isRetry: false,
  isCounted: true,
  isPaidByAgent: false,
  objections: [],
};
const NOTHING: IntakeFacts = {
  standing: UNKNOWN_WALLET,
  ofAgent: 0,
  ofAddress: 0,
  pending: { address: 0, network: 0, total: 0 },
  ofAgents: { address: 0, network: 0, total: 0 },
  launched: { address: 0, network: 0 },
  places: { isAmong: false, used: { address: 0, network: 0, total: 0 } },
  spending: { lamports: 0n, reserved: 0 },
  tickerOwner: null,
};
const tickerOwner = {
  eventId: "other id",
  wallet: "other",
  status: "failed",
  endedAt: null,
} as const;
const budget = { maxDailyLamports: 100n, launchLamports: 10n };
const ofNetwork = { address: 0, network: 20 };
const allowlist = { admission: "allowlist" } as const;
const invite = { admission: "invite" } as const;

const wallet = (is: Partial<Standing>) => ({ standing: { ...UNKNOWN_WALLET, ...is } });
const pending = (address: number, network: number, total: number) => ({
  pending: { address, network, total },
});
const launched = (address: number, network: number) => ({ launched: { address, network } });
const spending = (lamports: bigint, reserved: number) => ({ spending: { lamports, reserved } });
const places = (address: number, network: number, total: number, isAmong = false) => ({
  places: { isAmong, used: { address, network, total } },
});
const owned = (endedAt: number | null) => ({ tickerOwner: { ...tickerOwner, endedAt } });

test.each<[string, Partial<IntakeFacts>, Partial<IntakeLimits>, Refusal | null]>([
  ["nothing is limited", { ofAgent: 9, ofAddress: 9, ...pending(9, 9, 9) }, {}, null],

  ["the wallet is blocked", wallet({ isBlocked: true }), {}, "wallet_blocked"],
  ["it is not on the allowlist", {}, allowlist, "not_on_allowlist"],
  ["it is on it", wallet({ isAllowed: true }), allowlist, null],
  ["an invite does for no allowlist", wallet({ isInvited: true }), allowlist, "not_on_allowlist"],
  ["it needs an invite", {}, invite, "invite_required"],
  ["it was invited before", wallet({ isInvited: true }), invite, null],
  ["an allowed one needs no invite", wallet({ isAllowed: true }), invite, null],

  ["the agent has one left", { ofAgent: 1 }, { maxOfAgent: 2 }, null],
  ["the agent has none left", { ofAgent: 2 }, { maxOfAgent: 2 }, "agent_launch_limit"],
  ["the address has none left", { ofAddress: 2 }, { maxOfAddress: 2 }, "address_launch_limit"],

  ["the queue has room", pending(1, 1, 9), { maxPending: 10 }, null],
  ["the queue is full", pending(0, 0, 10), { maxPending: 10 }, "queue_full"],
  [
    "the network has its share of it",
    pending(0, 2, 2),
    { maxPending: 10, maxOfAgent: 2, shares: ofNetwork },
    "queue_share_used",
  ],
  [
    "a share that equals the total has no effect",
    pending(2, 2, 2),
    { maxPending: 2, shares: ofNetwork, maxOfAgent: 2 },
    "queue_full",
  ],

  ["the hour has a place", places(0, 0, 1), { maxPerHour: 2 }, null],
  ["the hour has no place", places(0, 0, 2), { maxPerHour: 2 }, "launch_rate_limit"],
  ["the agent has one already", places(1, 1, 2, true), { maxPerHour: 2 }, null],
  [
    "the network has its share of the hour",
    places(0, 2, 2),
    { maxPerHour: 10, shares: ofNetwork },
    "hour_share_used",
  ],

  ["the budget pays for one more", pending(0, 0, 9), { budget }, null],
  ["those that wait need the rest", pending(0, 0, 10), { budget }, "daily_budget_spent"],
  [
    "what is spent is gone",
    { ...pending(0, 0, 5), ...spending(50n, 0) },
    { budget },
    "daily_budget_spent",
  ],
  ["what is set aside counts once", { ...pending(0, 0, 5), ...spending(50n, 1) }, { budget }, null],
  [
    "the network has its share of it",
    { ...pending(0, 1, 1), ...launched(0, 1) },
    { budget, shares: ofNetwork },
    "budget_share_used",
  ],
  [
    "an address has what it may send",
    { ...pending(1, 1, 1), ...launched(1, 1) },
    { budget, maxOfAddress: 2 },
    "budget_share_used",
  ],

  ["a launch that waits or succeeded has the ticker", owned(null), {}, "ticker_taken"],
  ["one that ended keeps it", owned(NOW - HOUR_MS + 1), { tickerHoldMs: HOUR_MS }, "ticker_taken"],
  ["one that ended long ago does not", owned(NOW - HOUR_MS), { tickerHoldMs: HOUR_MS }, null],
])("%s", (_, facts, limits, refusal) => {
  const refusals = refusal === null ? [] : [refusal];
  expect(decide(LAUNCH, { ...NOTHING, ...facts }, { ...UNBOUNDED, ...limits })).toEqual(refusals);
});

describe("when all is used up", () => {
  const facts: IntakeFacts = {
    ...NOTHING,
    ofAgent: 1,
    ofAddress: 1,
    ...pending(1, 1, 2),
    ...places(1, 1, 2),
    tickerOwner,
    ...wallet({ isBlocked: true }),
  };
  const limits: IntakeLimits = {
    ...UNBOUNDED,
    maxOfAgent: 1,
    maxOfAddress: 1,
    maxPending: 2,
    maxPerHour: 2,
    shares: { address: 1, network: 0 },
    budget: { maxDailyLamports: 0n, launchLamports: 1n },
  };
  const objections = ["paused", "agent_balance_low"] as const;
  const behindTheAgents = [
    ...["address_launch_limit", "queue_share_used", "launch_rate_limit", "daily_budget_spent"],
    "queue_full",
  ] as const;

  test("a launch has each reason, in the order in which the first one is answered", () => {
    expect(decide({ ...LAUNCH, objections }, facts, limits)).toEqual([
      ...objections,
      ...(["wallet_blocked", "agent_launch_limit"] as const),
      ...(behindTheAgents as readonly Refusal[]),
      "ticker_taken",
    ]);
  });

  test("a retry has the ticker first, and counts for its agent only if it says so", () => {
    const retry = { ...LAUNCH, isRetry: true, isCounted: false, objections };
    expect(decide({ ...retry, isCounted: true }, facts, limits)).toContain("agent_launch_limit");
    expect(decide(retry, facts, limits)).toEqual([
      "ticker_taken",
      ...objections,
      "wallet_blocked",
      ...(behindTheAgents as readonly Refusal[]),
    ]);
  });

  test("what counts addresses does not hold a client that has none", () => {
    const all = decide({ ...LAUNCH, address: null }, facts, limits);
    expect(all).not.toContain("address_launch_limit");
    expect(all).not.toContain("queue_share_used");
    const within = { ...NOTHING, ...pending(9, 9, 0), ...launched(9, 9) };
    const shared = { ...UNBOUNDED, budget, maxOfAddress: 1, shares: ofNetwork };
    expect(decide({ ...LAUNCH, address: null }, within, shared)).toEqual([]);
  });
});

test("a launch that its agent pays for needs nothing of the day's budget, and fills shares of its own", () => {
  const limits = { ...UNBOUNDED, budget, maxPending: 10, maxOfAgent: 2, shares: ofNetwork };
  const full = { address: 2, network: 2, total: 10 };
  const refusals = ["queue_share_used", "daily_budget_spent", "queue_full"] as const;
  const paid = { ...LAUNCH, isPaidByAgent: true };
  const ofOperator = { ...NOTHING, pending: full };
  expect(decide(LAUNCH, ofOperator, limits)).toEqual(refusals);
  expect(decide(paid, ofOperator, limits)).toEqual([]);
  const ofAgents = { ...NOTHING, ofAgents: full };
  expect(decide(LAUNCH, ofAgents, limits)).toEqual([]);
  expect(decide(paid, ofAgents, limits)).toEqual(["queue_share_used", "queue_full"]);
});
