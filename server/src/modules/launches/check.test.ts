import { afterEach, beforeEach, expect, test } from "bun:test";
import type { LaunchRefusalCode, LaunchRequest } from "@tokenctl/shared/types";
import type { ServiceError } from "../../base/service-error.ts";
import { type IntakeLimits, UNBOUNDED } from "../../domain/intake-limits.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import { validationError } from "../../http/body.ts";
import { NOT_PAUSED } from "../../http/endpoint.ts";
import { BuildError, UnaffordableError, WrongClusterError } from "../../launchpad/errors.ts";
import { lease } from "../../testing/launches.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { LaunchChecker, type LaunchCheckerOptions } from "./check.ts";
import { IMAGE_GONE, LaunchGate } from "./refusals.ts";
import { LaunchService } from "./service.ts";

const ADDRESS = "192.0.2.7";
const HOUR_MS = 3_600_000;
const NEW: LaunchRequest = { name: "A token", ticker: "NEW" };
const FEES = {
  bondingCurve: { startBps: 2_000, endBps: 100, creatorSharePercent: 64 },
  liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 80 },
};
const COST = { rent: 11n, networkFee: 22n, creationFee: 3n, firstBuy: 4n };
const COUNTED = { ...UNBOUNDED, maxOfAddress: 100 };

let temp: TempStore;
beforeEach(() => {
  temp = tempStore();
});
afterEach(() => temp[Symbol.dispose]());

function checkerWith(limits: IntakeLimits = COUNTED, other: Partial<LaunchCheckerOptions> = {}) {
  return new LaunchChecker({
    store: temp.store,
    gate: new LaunchGate(NOT_PAUSED, null),
    limits,
    budget: { dayBudget: () => null },
    readHealth: async () => ({ ok: true, db: "connected", timestamp: "now" }),
    images: { isMissing: async () => false },
    terms: async () => ({ config: "config", fees: FEES, curve: [] }),
    checkPaid: async () => ({ cost: COST, required: 60n, balance: 60n, refusal: null }),
    ...other,
  });
}

const asked = (fields: Partial<LaunchRequest> = NEW) => ({ fields, details: [] });
const check = (fields: Partial<LaunchRequest> = NEW, wallet = "agent", limits = COUNTED) =>
  checkerWith(limits).check(wallet, asked(fields), ADDRESS);

function serviceWith(limits: IntakeLimits = COUNTED, budget?: LaunchCheckerOptions["budget"]) {
  return new LaunchService(temp.store, () => {}, { limits, ...(budget && { budget }) });
}

const answerOf = (error: ServiceError) => {
  const { wireCode, message, advice, retryAfterSeconds, details, facts } = error;
  return {
    code: wireCode as LaunchRefusalCode,
    error: message,
    ...facts,
    ...(advice !== undefined && { message: advice }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(details && { details: [...details] }),
  };
};

test("the first refusal is the launch's answer, with its code and texts, whatever is used up", async () => {
  await serviceWith().register("agent", { ...NEW, ticker: "TAKEN" }, { address: ADDRESS });
  await serviceWith().register("third", { ...NEW, ticker: "THIRD" });
  const shares = { address: 1, network: 0 };
  const usedUp = { maxOfAgent: 1, maxOfAddress: 1, shares, maxPending: 2 };
  const names = [...Object.keys(usedUp), "budget", "ticker"];
  const checked: string[] = [];
  // At first every limit is used up, at last none: only the last launch is stored.
  for (let subset = 2 ** names.length - 1; subset >= 0; subset--) {
    const isUsedUp = (name: string) => (subset & (1 << names.indexOf(name))) !== 0;
    const limits = {
      ...COUNTED,
      maxPending: 100,
      ...Object.fromEntries(Object.entries(usedUp).filter(([name]) => isUsedUp(name))),
    };
    const spent = isUsedUp("budget") ? { maxDailyLamports: 0n, launchLamports: 1n } : null;
    const budget = { dayBudget: () => spent };
    const request = { ...NEW, ticker: isUsedUp("ticker") ? "TAKEN" : "NEW" };
    const parsed = { fields: request, details: [] };
    const { ok, refusals } = await checkerWith(limits, { budget }).check("agent", parsed, ADDRESS);
    expect(ok).toBe(refusals.length === 0);
    expect(refusals).toHaveLength(names.filter(isUsedUp).length);
    const answered = await serviceWith(limits, budget)
      .register("agent", request, { address: ADDRESS })
      .then(
        () => undefined,
        (error: ServiceError) => answerOf(error),
      );
    expect(refusals[0]).toEqual(answered);
    checked.push(refusals[0]?.code ?? "accepted");
  }
  expect(new Set(checked).size).toBe(7);
  expect(checked.at(-1)).toBe("accepted");
});

test("quotas show what is accepted", async () => {
  const limits = {
    ...COUNTED,
    maxOfAgent: 3,
    maxOfAddress: 5,
    shares: { address: 50, network: 0 },
  };
  await serviceWith(limits).register("agent", NEW, { address: ADDRESS });
  await serviceWith(limits).register("other", { ...NEW, ticker: "THEIRS" }, { address: ADDRESS });
  expect(await check({ ...NEW, ticker: "NEXT" }, "agent", { ...limits, maxPending: 9 })).toEqual({
    ok: true,
    refusals: [],
    endsAs: null,
    agent: { hasLaunchedToday: false, waiting: 1, accepted: 1, limit: 3 },
    queue: { depth: 2, place: 3, limit: 9 },
    service: { ok: true, message: null },
    fees: FEES,
    curve: [],
  });
  const unlimited = await checkerWith(UNBOUNDED).check("agent", asked(), null);
  expect(unlimited).toMatchObject({ agent: { limit: null } });
});

test("only the owner of a launch that ended without a token sees it", async () => {
  const { eventId } = await serviceWith().register("agent", NEW);
  await lease(temp, "lease");
  await temp.store.launches.fail(eventId, "lease", { message: "refused" });
  const taken = { code: "ticker_taken", error: "Ticker NEW already exists" } as const;
  expect((await check()).refusals).toMatchObject([{ ...taken, eventId, status: "failed" }]);
  expect((await check(NEW, "other")).refusals).toEqual([taken]);
  temp.clock.advance(24 * HOUR_MS);
  expect((await check(NEW, "other")).refusals).toEqual([]);
  expect(await serviceWith().register("other", NEW)).toMatchObject({ success: true });
});

test("what is wrong with the request is listed, an image that is not here too, and all else is answered", async () => {
  const details = [{ field: "name", message: "is required" }];
  const fields = { ticker: "NEW", imageUrl: "https://example.com/images/a" };
  const checker = checkerWith(COUNTED, { images: { isMissing: async () => true } });
  expect(await checker.check("agent", { fields, details }, null)).toMatchObject({
    ok: false,
    refusals: [answerOf(validationError([...details, IMAGE_GONE]))],
  });
  const bare = await checkerWith().check("agent", { fields: {}, details }, null);
  expect(bare.ok).toBe(false);
});

test("fees that cannot be read in two seconds are unknown, and a service that is not well is no refusal", async () => {
  const message = "The RPC does not answer";
  const readHealth = async () =>
    ({ ok: false, db: "connected", timestamp: "now", message }) as const;
  const check = (terms: LaunchCheckerOptions["terms"]) =>
    checkerWith(COUNTED, { terms, readHealth }).check("agent", asked(), null);
  const unread = await check(() => Promise.reject(new Error("https://rpc.example/?key=hush")));
  expect(unread).toMatchObject({ ok: true, fees: null, service: { ok: false, message } });
  expect(JSON.stringify(unread)).not.toContain("hush");
  const late = check(() => new Promise(() => {}));
  await temp.clock.pass(2_000);
  expect(await late).toEqual(unread);
});

const EITHER: IntakeLimits = { ...COUNTED, payers: ["operator", "agent"] };
const PAID: LaunchRequest = { ...NEW, payer: "agent" };
/** A client that does not say who pays may not know that its agent has to. */
const AGENTS_PAY: IntakeLimits = { ...COUNTED, payers: ["agent"] };

test("a launch that its agent pays for has its cost, whether the wallet can pay, and no share of the budget", async () => {
  const budget = { dayBudget: () => ({ maxDailyLamports: 0n, launchLamports: 1n }) };
  const quote = { cost: COST, required: 60n };
  const short = new UnaffordableError("launch", "agent", { required: 60n, balance: 59n });
  const payment = {
    costSOL: { total: 4e-8, rent: 1.1e-8, networkFee: 2.2e-8, creationFee: 3e-9, firstBuy: 4e-9 },
    requiredSOL: 6e-8,
    config: "config",
  };
  for (const [balance, canPay, refusal, codes] of [
    [60n, true, null, []],
    [59n, false, short, ["launch_unaffordable"]],
    [60n, true, new BuildError("launch", "The curve is too short"), ["launch_build_failed"]],
  ] as const) {
    const ordered: LaunchOrder[] = [];
    const checker = checkerWith(EITHER, {
      budget,
      async checkPaid(order) {
        ordered.push(order);
        return { ...quote, balance, refusal };
      },
    });
    const fields = { ...PAID, firstBuySOL: 0.1, firstBuyMinTokens: "2" };
    const found = await checker.check("agent", asked(fields), ADDRESS);
    expect(found).toMatchObject({ ok: codes.length === 0, payment: { ...payment, canPay } });
    expect(found.refusals.map(({ code }) => code)).toEqual([...codes]);
    const firstBuy = { lamports: 100_000_000n, minUnits: 2_000_000n };
    expect(ordered).toMatchObject([{ wallet: "agent", ticker: "NEW", firstBuy }]);
  }
  const checker = checkerWith(EITHER, { budget });
  const operatorPays = await checker.check("agent", asked(), ADDRESS);
  expect(operatorPays.refusals.map(({ code }) => code)).toEqual(["daily_budget_spent"]);
  expect(operatorPays).not.toHaveProperty("payment");
});

test("a launch whose cost cannot be read is not ok and says why, and one without a name has none", async () => {
  const unread = Promise.reject(new Error("https://rpc.example.com/?key=hush"));
  const find = (fields: Partial<LaunchRequest>, read = unread) =>
    checkerWith(EITHER, { checkPaid: () => read }).check("agent", asked(fields), null);
  const found = await find(PAID);
  const refusal = { code: "chain_unavailable", error: "The chain did not answer in time" };
  expect(found).toMatchObject({ ok: false, payment: null, refusals: [refusal] });
  expect(JSON.stringify(found)).not.toContain("hush");
  expect(await find({ payer: "agent" })).toMatchObject({ ok: true, payment: null });
  const wrong = await find(PAID, Promise.reject(new WrongClusterError("Another")));
  expect(wrong).toMatchObject({ ok: false, payment: null, refusals: [{ code: "wrong_cluster" }] });
});

test.each([
  [COUNTED, PAID],
  [COUNTED, { ...NEW, firstBuySOL: 1 }],
  [AGENTS_PAY, NEW],
  [AGENTS_PAY, { ...NEW, payer: "operator" as const }],
  [EITHER, { ...PAID, firstBuySOL: 1e-10 }],
  [EITHER, { ...PAID, firstBuySOL: 1.000_000_000_1 }],
  [EITHER, { ...PAID, firstBuyMinTokens: "2" }],
  [COUNTED, { ...NEW, firstBuyMinTokens: "2" }],
])("a payment that is refused is found with the launch's answer", async (limits, request) => {
  const { refusals } = await check(request, "agent", limits);
  const refused: ServiceError = await serviceWith(limits)
    .register("agent", request, { address: ADDRESS })
    .then(
      () => undefined,
      (error) => error,
    );
  expect(refusals).toEqual([answerOf(refused)]);
  expect(refused.details?.[0]?.field).toMatch(/payer|firstBuySOL|firstBuyMinTokens/);
});

test("whom the service serves is checked as the launch is answered", async () => {
  const { operator } = temp.store;
  const change = { actor: "ops", action: "x", subject: null, detail: null, reason: null };
  await operator.setRule("blocked", { list: "blocked", isOn: true }, change);
  await serviceWith().register("other", { ...NEW, ticker: "OTHER" }, { address: ADDRESS });
  const paused = new LaunchGate(() => "maintenance", null);
  const poor = new LaunchGate(NOT_PAUSED, { minLamports: 5n, read: async () => [4n] });
  const open = new LaunchGate(NOT_PAUSED, null);
  const cases: [LaunchRefusalCode, LaunchGate, Partial<IntakeLimits>, string][] = [
    ["paused", paused, {}, "agent"],
    ["agent_balance_low", poor, {}, "agent"],
    ["wallet_blocked", open, {}, "blocked"],
    ["not_on_allowlist", open, { admission: "allowlist" }, "agent"],
    ["invite_required", open, { admission: "invite" }, "agent"],
    ["launch_rate_limit", open, { maxPerHour: 1 }, "agent"],
  ];
  for (const [code, gate, other, wallet] of cases) {
    const limits = { ...COUNTED, ...other };
    const checked = await checkerWith(limits, { gate }).check(wallet, asked(), null);
    expect(checked.refusals.map((refusal) => refusal.code)).toEqual([code]);
    const service = new LaunchService(temp.store, () => {}, { limits, gate });
    const launched = service.register(wallet, NEW).catch(answerOf);
    expect(await launched).toEqual(checked.refusals[0] as never);
  }
});
