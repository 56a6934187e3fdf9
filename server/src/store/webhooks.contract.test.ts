import { expect, test } from "bun:test";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { dueWebhooks, newWebhook } from "./testing/rows.ts";
import {
  type AttemptOutcome,
  DELIVERY_LOG,
  type DueWebhooks,
  type LeasedDelivery,
  type NewWebhook,
  type WebhookRow,
} from "./webhooks.ts";

const LEASE_MS = 60_000;
const DELIVERED = { httpStatus: 204, problem: null, isDelivered: true } as const;
const FAILED = { httpStatus: null, problem: "no answer", isDelivered: false } as const;

describeStore("webhooks", (at) => {
  const add = (id: string, other: Partial<NewWebhook> = {}, max = 9) =>
    at.store.webhooks.add(newWebhook(id, { createdAt: at.now(), ...other }), max);
  const addEvents = async (count: number, wallet = "agent") => {
    for (let n = 0; n < count; n++) {
      await at.insertFailed(`E${crypto.randomUUID().slice(0, 8)}`.toUpperCase(), { wallet });
    }
  };
  const lease = async (due: Partial<DueWebhooks> = {}, id = "holder", store = at.store) =>
    store.webhooks.lease({ id, ms: LEASE_MS }, dueWebhooks(due));
  const leaseOne = async (due: Partial<DueWebhooks> = {}) => {
    const [leased, ...more] = await lease(due);
    if (!leased || more.length > 0) throw new Error(`${more.length + 1} are due`);
    return leased;
  };
  const settle = (leased: LeasedDelivery, outcome: Partial<AttemptOutcome> = DELIVERED) =>
    at.store.webhooks.settle(leased, {
      ...{ ...FAILED, isSlow: false, retryInMs: null },
      ...outcome,
    });
  const find = async (id: string, wallet = "agent"): Promise<WebhookRow> => {
    const found = (await at.store.webhooks.list(wallet)).find((webhook) => webhook.id === id);
    if (!found) throw new Error(`${wallet} has no ${id}`);
    return found;
  };
  const log = async (id: string, wallet = "agent") =>
    (await at.store.webhooks.deliveries(wallet, id, { before: null, limit: 1_000 }))?.rows.map(
      ({ number, kind, event, status, attempts }) =>
        `${number} ${kind} ${event} ${status} ${attempts}`,
    );

  test("a wallet has its own webhooks, each URL once, and no more than the limit", async () => {
    const url = "https://same.example/";
    expect(await add("one", { url })).toMatchObject({ id: "one", url, cursor: 0 });
    expect(await add("two", { url })).toBe("exists");
    expect(await add("other", { url, wallet: "other" })).toMatchObject({ id: "other" });
    await at.advance(1);
    expect(await add("three", {}, 2)).toMatchObject({ id: "three" });
    expect(await add("four", {}, 2)).toBe("limit");
    const ids = async (wallet: string) =>
      (await at.store.webhooks.list(wallet)).map(({ id }) => id);
    expect(await ids("agent")).toEqual(["one", "three"]);
    expect(await ids("other")).toEqual(["other"]);
    expect(await at.store.webhooks.remove("other", "one")).toBeNull();
    expect(await at.store.webhooks.remove("agent", "one")).toBe(url);
    expect(await ids("agent")).toEqual(["three"]);
    expect(await ids("other")).toEqual(["other"]);
  });

  test("two servers cannot add more than a wallet may have", async () => {
    const another = await at.database.openAnother();
    // For several wallets at once, so that transactions overlap.
    const wallets = ["a", "b", "c", "d", "e"];
    const adding = wallets.flatMap((wallet) =>
      [at.store, another, at.store, another].map(async ({ webhooks }, n) => ({
        wallet,
        outcome: await webhooks.add(newWebhook(`${wallet}${n}`, { wallet }), 2),
      })),
    );
    const outcomes = Map.groupBy(await Promise.all(adding), ({ wallet }) => wallet);
    for (const wallet of wallets) {
      const refused = outcomes.get(wallet)?.filter(({ outcome }) => typeof outcome === "string");
      expect(refused?.map(({ outcome }) => outcome)).toEqual(["limit", "limit"]);
    }
  });

  test("events of the wallet become deliveries one after the other, once the one before is accepted", async () => {
    await addEvents(2);
    await add("one");
    await add("from the first", { after: 0 });
    await add("other", { wallet: "other" });
    const first = await leaseOne();
    expect([first.webhook.id, first.delivery.event]).toEqual(["from the first", 1]);
    expect(await lease()).toEqual([]);
    await settle(first);
    const second = await leaseOne();
    expect([second.webhook.id, second.delivery.event]).toEqual(["from the first", 2]);
    await settle(second);
    expect(await lease()).toEqual([]);
    await addEvents(1);
    const both = await lease();
    expect(both.map(({ webhook, delivery }) => [webhook.id, delivery.event]).toSorted()).toEqual([
      ["from the first", 3],
      ["one", 3],
    ]);
    expect(await log("one")).toEqual(["1 event 3 pending 1"]);
    expect(await log("other", "other")).toEqual([]);
  });

  test("a delivery that failed is tried at its time, and holds back the events after it", async () => {
    await add("one");
    await add("other", { wallet: "other" });
    await addEvents(2);
    await addEvents(1, "other");
    const [mine, theirs] = (await lease()).toSorted((a, b) =>
      a.webhook.wallet.localeCompare(b.webhook.wallet),
    );
    if (!mine || !theirs) throw new Error("both are due");
    await settle(mine, { ...FAILED, retryInMs: 5_000 });
    await settle(theirs);
    expect(await find("one")).toMatchObject({ failures: 1, retryAt: at.now() + 5_000 });
    await at.advance(4_999);
    expect(await lease()).toEqual([]);
    await at.advance(1);
    const again = await leaseOne();
    const known = { number: 1, event: 1, attempts: 2, problem: "no answer" };
    expect(again.delivery).toMatchObject(known);
    await settle(again, { ...FAILED, httpStatus: 500, problem: null });
    expect(await find("one")).toMatchObject({ failures: 2, head: null, retryAt: null });
    // The first event is given up, so the next one has its turn.
    const next = await leaseOne();
    expect(next.delivery).toMatchObject({ number: 2, event: 2, attempts: 1 });
    await settle(next);
    expect(await find("one")).toMatchObject({ failures: 0, cursor: 2 });
    expect(await log("one")).toEqual(["2 event 2 delivered 1", "1 event 1 failed 2"]);
    expect(await log("other", "other")).toEqual(["1 event 1 delivered 1"]);
  });

  test("a lease that has run out holds nothing, and the attempt counts", async () => {
    await add("one");
    await addEvents(1);
    const lost = await leaseOne();
    await at.advance(LEASE_MS - 1);
    expect(await lease({}, "another")).toEqual([]);
    await at.advance(1);
    const [taken] = await lease({}, "another");
    expect(taken?.delivery).toMatchObject({ number: 1, attempts: 2 });
    expect(await settle(lost)).toBe(false);
    expect(await log("one")).toEqual(["1 event 1 pending 2"]);
    if (taken) expect(await settle(taken)).toBe(true);
    expect(await log("one")).toEqual(["1 event 1 delivered 2"]);
  });

  test("a clock that is set back holds up neither a lease nor for days a retry", async () => {
    await add("one");
    await addEvents(1);
    await leaseOne();
    await at.advance(-DAY_MS - 1);
    await settle(await leaseOne(), { retryInMs: 5_000 });
    await at.advance(-DAY_MS);
    expect((await leaseOne()).delivery).toMatchObject({ number: 1, attempts: 3 });
  });

  test("an attempt that was interrupted does not count and is made again at once", async () => {
    await add("one");
    await addEvents(1);
    await at.store.webhooks.release(await leaseOne());
    const again = await leaseOne();
    expect(again.delivery).toMatchObject({ number: 1, attempts: 1 });
    expect(again.webhook.failures).toBe(0);
    const webhook = { ...again.webhook, leaseId: "stranger" };
    await at.store.webhooks.release({ ...again, webhook });
    expect(await lease()).toEqual([]);
  });

  test("two servers never try one webhook at once", async () => {
    const another = await at.database.openAnother();
    for (const id of ["a", "b", "c", "d", "e", "f"]) await add(id, { wallet: `wallet ${id}` });
    for (const id of ["a", "b", "c", "d", "e", "f"]) await addEvents(1, `wallet ${id}`);
    const leased = await Promise.all([
      lease({ limit: 4 }, "one"),
      lease({ limit: 4 }, "two", another),
      lease({ limit: 4 }, "three"),
      lease({ limit: 4 }, "four", another),
    ]);
    const ids = leased.flat().map(({ webhook }) => webhook.id);
    expect(ids.length).toBe(new Set(ids).size);
    const rest = await lease({}, "rest");
    expect([...ids, ...rest.map(({ webhook }) => webhook.id)].toSorted()).toEqual([
      ...["a", "b", "c", "d", "e", "f"],
    ]);
  });

  test("those are tried first that were tried longest ago, or only those of some wallets", async () => {
    for (const id of ["a", "b", "c"]) {
      await add(id, { wallet: `wallet ${id}` });
      await addEvents(3, `wallet ${id}`);
    }
    const tried: string[] = [];
    for (let n = 0; n < 6; n++) {
      await at.advance(1);
      const [leased] = await lease({ limit: 1 });
      if (!leased) throw new Error("one is due");
      tried.push(leased.webhook.id);
      await settle(leased, leased.webhook.id === "b" ? { retryInMs: 0 } : DELIVERED);
    }
    expect(tried).toEqual(["a", "b", "c", "a", "b", "c"]);
    const idsOf = (leased: LeasedDelivery[]) => leased.map(({ webhook }) => webhook.id);
    expect(idsOf(await lease({ which: ["wallet a"] }))).toEqual(["a"]);
    expect(idsOf(await lease({ which: ["wallet b", "stranger"] }))).toEqual(["b"]);
    expect(idsOf(await lease())).toEqual(["c"]);
  });

  test("a webhook is new, then prompt or slow as its last attempt was", async () => {
    await add("one");
    await addEvents(4);
    expect(await find("one")).toMatchObject({ pace: "new" });
    for (const [pace, outcome] of [
      ["prompt", DELIVERED],
      ["slow", { ...DELIVERED, isSlow: true }],
      ["prompt", DELIVERED],
      ["slow", FAILED],
    ] as const) {
      await at.store.webhooks.release(await leaseOne());
      await settle(await leaseOne(), outcome);
      expect(await find("one")).toMatchObject({ pace });
    }
  });

  test("webhooks of full wallets, paces and hosts are left out, and those that are not admitted", async () => {
    const hosts = { a: "busy.example", b: "free.example", c: "free.example", d: "free.example" };
    for (const [id, host] of Object.entries(hosts)) {
      await add(id, { wallet: `wallet ${id}`, url: `https://${host}/${id}`, host });
      await addEvents(2, `wallet ${id}`);
    }
    for (const leased of await lease({ which: ["wallet d"] })) await settle(leased);
    const found = async (full: Partial<DueWebhooks["full"]>, admits = () => false) => {
      const asked: string[] = [];
      const note = (webhook: WebhookRow) => {
        asked.push(webhook.id);
        return admits();
      };
      const { full: none } = dueWebhooks();
      const leased = await lease({ full: { ...none, ...full }, admits: note });
      expect(leased.map(({ webhook }) => webhook.id)).toEqual(admits() ? asked : []);
      return asked.toSorted().join("");
    };
    expect(await found({})).toBe("abcd");
    expect(await found({ wallets: ["wallet b"] })).toBe("acd");
    expect(await found({ paces: ["new"] })).toBe("d");
    expect(await found({ hosts: ["new free.example"] })).toBe("ad");
    expect(await found({ hosts: ["prompt free.example", "slow busy.example"] })).toBe("abc");
    expect(await found({ paces: ["slow"], wallets: ["wallet a"] }, () => true)).toBe("bcd");
  });

  test("a search for what waits finds retries, tests and leases that ran out, and a full one new events", async () => {
    for (const id of ["new", "retry", "test", "lost", "held"]) await add(id, { wallet: id });
    for (const wallet of ["retry", "lost"]) await addEvents(1, wallet);
    for (const leased of await lease({ which: ["retry"] })) await settle(leased, { retryInMs: 5 });
    await lease({ which: ["lost"] });
    await at.advance(LEASE_MS);
    await addEvents(1, "held");
    await lease({ which: ["held"] });
    await addEvents(1, "new");
    await at.store.webhooks.test("test", "test", 9);
    const found = async (which: "open" | "all") =>
      (await lease({ which })).map(({ webhook }) => webhook.id).toSorted();
    expect(await found("open")).toEqual(["lost", "retry", "test"]);
    expect(await found("open")).toEqual([]);
    expect(await found("all")).toEqual(["new"]);
  });

  test("a test is tried once and before the events that wait, and fails without holding them back", async () => {
    await add("one");
    await add("other", { wallet: "other" });
    await addEvents(2);
    const { webhooks } = at.store;
    expect(await webhooks.test("agent", "one", 1)).toMatchObject({ kind: "test", event: null });
    expect(await webhooks.test("agent", "one", 1)).toBe("full");
    expect(await webhooks.test("other", "one", 1)).toBeNull();
    const tried: string[] = [];
    for (const outcome of [FAILED, DELIVERED, DELIVERED]) {
      const leased = await leaseOne();
      tried.push(`${leased.delivery.kind} ${leased.delivery.event}`);
      await settle(leased, outcome);
    }
    expect(tried).toEqual(["test null", "event 1", "event 2"]);
    expect(await lease()).toEqual([]);
    expect(await webhooks.test("agent", "one", 1)).toMatchObject({ number: 4 });
    expect(await log("other", "other")).toEqual([]);
  });

  test("events that are deleted before their turn are left out", async () => {
    const start = at.now();
    await at.setTime(start - 9 * DAY_MS);
    await add("one");
    await addEvents(2);
    await at.setTime(start);
    await at.store.events.forget(start - 8 * DAY_MS, 9);
    expect(await lease()).toEqual([]);
    expect((await find("one")).cursor).toBe(2);
    await addEvents(1);
    expect((await leaseOne()).delivery.event).toBe(3);
  });

  test("the log keeps the newest deliveries, and those that wait", async () => {
    await add("one");
    await add("two");
    const { webhooks } = at.store;
    await webhooks.test("agent", "two", 9);
    await addEvents(1);
    await webhooks.test("agent", "one", 9);
    for (let n = 0; n < 2; n++) {
      for (const leased of await lease({ which: ["agent"] })) {
        await settle(leased, leased.delivery.kind === "test" ? DELIVERED : { retryInMs: DAY_MS });
      }
    }
    for (let n = 1; n < DELIVERY_LOG; n++) await webhooks.test("agent", "one", 1_000);
    const page = await webhooks.deliveries("agent", "one", { before: null, limit: 1_000 });
    const kept = page?.rows ?? [];
    expect(kept.map(({ number }) => number)).toEqual([
      ...Array.from({ length: DELIVERY_LOG - 1 }, (_, n) => DELIVERY_LOG + 1 - n),
      2,
    ]);
    expect(
      (await webhooks.deliveries("agent", "one", { before: 5, limit: 2 }))?.rows.map(
        ({ number }) => number,
      ),
    ).toEqual([4, 3]);
    expect(await log("two")).toHaveLength(2);
    expect(await webhooks.deliveries("other", "one", { before: null, limit: 9 })).toBeNull();
  });
});
