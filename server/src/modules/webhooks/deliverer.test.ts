import { afterEach, describe, expect, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import type { NewWebhook } from "../../store/webhooks.ts";
import { takeLaunch } from "../../testing/launches.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { Deliverer, type DelivererOptions, nextPause } from "./deliverer.ts";
import { ReceiverClient } from "./post.ts";
import { Receiver } from "./testing/receiver.ts";

const KEY = new Uint8Array(32).fill(1);
const HANG = () => new Promise<Response>(() => {});
const respond = (status: number) => () => new Response(null, { status });

class Scene {
  readonly temp: TempStore;
  readonly receivers = new Map<string, Receiver>();
  readonly #deliverers: Deliverer[] = [];
  readonly #settled: (() => void)[] = [];
  settledCount = 0;
  #tickers = 0;

  constructor() {
    // Verification compares a message's time with this machine's.
    this.temp = tempStore(new ManualClock(Date.now()), (wallet) => {
      for (const deliverer of this.#deliverers) deliverer.wake(wallet);
    });
    const { webhooks } = this.temp.store;
    const settle = webhooks.settle.bind(webhooks);
    webhooks.settle = async (...given) => {
      const result = await settle(...given);
      this.settledCount++;
      for (const check of this.#settled) check();
      return result;
    };
  }

  async deliverer(options: Partial<DelivererOptions> = {}): Promise<Deliverer> {
    const deliverer = new Deliverer({
      store: this.temp.store,
      client: new ReceiverClient({ allowsLoopback: true }),
      toWire: ({ id, type, eventId }) => ({ id, type, data: { eventId } }),
      log: createLog("silent"),
      maxOfAgent: 9,
      shares: { address: 0, network: 0 },
      ...options,
    });
    this.#deliverers.push(deliverer);
    await deliverer.start();
    return deliverer;
  }

  /** Adds a webhook whose id is also that of its receiver. */
  async hook(id: string, other: Partial<NewWebhook> = {}, answer?: Receiver["answer"]) {
    const receiver = new Receiver(answer);
    this.receivers.set(id, receiver);
    const row = {
      id,
      wallet: "agent",
      url: receiver.url,
      host: id,
      key: KEY,
      createdAt: 0,
      after: 0,
    };
    expect(await this.temp.store.webhooks.add({ ...row, ...other }, 9)).toMatchObject({
      url: row.url,
    });
    return receiver;
  }

  async events(count: number, wallet = "agent"): Promise<void> {
    for (let n = 0; n < count; n++) {
      const ticker = `T${++this.#tickers}`;
      const { eventId } = await takeLaunch(this.temp, ticker, { wallet, leaseId: ticker });
      await this.temp.store.launches.fail(eventId, ticker, { message: "refused" });
    }
  }

  /** Waits until this many attempts are stored. */
  async settled(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => this.settledCount >= count && resolve();
    this.#settled.push(check);
    check();
    await promise;
  }

  advance(milliseconds: number, wallet = "agent"): void {
    this.temp.clock.advance(milliseconds);
    for (const deliverer of this.#deliverers) deliverer.wake(wallet);
  }

  /** Waits until the condition holds, and skips the short pauses before a search. */
  async until(isTrue: () => boolean): Promise<void> {
    const { clock } = this.temp;
    while (!isTrue()) {
      if ((clock.waits[0] ?? Number.POSITIVE_INFINITY) <= 100) clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async log(id: string, wallet = "agent") {
    const rows =
      (await this.temp.store.webhooks.deliveries(wallet, id, { before: null, limit: 99 }))?.rows ??
      [];
    return rows.map(({ kind, event, status, attempts, httpStatus, problem }) =>
      [kind, event, status, attempts, httpStatus ?? problem].join(" "),
    );
  }

  async end(): Promise<void> {
    for (const receiver of this.receivers.values()) await receiver[Symbol.asyncDispose]();
    for (const deliverer of this.#deliverers) await deliverer.stop();
    this.temp[Symbol.dispose]();
  }
}

let scene = new Scene();
afterEach(async () => {
  await scene.end();
  scene = new Scene();
});

describe("an event that is not accepted", () => {
  test.each([
    ["500", respond(500), "500"],
    ["a redirect", respond(302), "302"],
    ["no answer", HANG, "no answer within 15 s"],
  ])(
    "because of %s is sent again at its time, and holds back those after it",
    async (_, answer, outcome) => {
      const receiver = await scene.hook("one", {}, answer);
      await scene.hook("other", { wallet: "other" });
      await scene.events(2);
      await scene.deliverer();
      await receiver.got(1);
      if (answer === HANG) scene.temp.clock.advance(15_000);
      await scene.settled(1);
      expect(await scene.log("one")).toEqual([`event 1 pending 1 ${outcome}`]);
      receiver.answer = respond(200);
      scene.advance(4_999);
      // This message is sent later: one sent at the same time would have arrived too.
      await scene.events(1, "other");
      await scene.settled(2);
      expect(receiver.messages).toHaveLength(1);
      scene.advance(600);
      await scene.settled(4);
      expect(receiver.events).toEqual([1, 1, 2]);
      const [first, again] = receiver.messages;
      expect(again?.id).toBe(first?.id ?? "");
      expect(Number(again?.headers["webhook-timestamp"])).toBeGreaterThan(
        Number(first?.headers["webhook-timestamp"]),
      );
      expect(await scene.log("one")).toEqual([
        "event 2 delivered 1 200",
        "event 1 delivered 2 200",
      ]);
    },
  );

  test("and was deleted after its first attempt is given up", async () => {
    const receiver = await scene.hook("one", {}, respond(500));
    await scene.events(1);
    await scene.deliverer();
    await scene.settled(1);
    await scene.temp.store.events.forget(Number.POSITIVE_INFINITY, 9);
    scene.advance(6_000);
    await scene.settled(2);
    expect(receiver.messages).toHaveLength(1);
    expect(await scene.log("one")).toEqual(["event 1 failed 2 the event is not kept any more"]);
  });
});

describe("slots", () => {
  const SIX = [0, 1, 2, 3, 4, 5];

  /** Adds six receivers, each with its own wallet, which hold every request until `go`. */
  async function six(hostOf: (n: number) => string) {
    const go = Promise.withResolvers<void>();
    const hold = () => go.promise.then(respond(200));
    const receivers: Receiver[] = [];
    for (const n of SIX) {
      const wallet = `held ${n}`;
      receivers.push(await scene.hook(wallet, { wallet, host: hostOf(n) }, hold));
      await scene.events(1, wallet);
    }
    const held = () => receivers.filter(({ messages }) => messages.length > 0).length;
    return { receivers, held, go: go.resolve };
  }

  test("are not all taken by one host, whose receivers all get their turn", async () => {
    const { receivers, held, go } = await six(() => "busy");
    await scene.deliverer({ slots: 20, maxOfAgent: 1, shares: { address: 1, network: 20 } });
    const quick = await scene.hook("quick");
    await scene.until(() => held() === 3);
    await scene.events(3);
    await scene.until(() => quick.messages.length === 3);
    // A host has four of the 20 places, and new receivers have three of those.
    expect(held()).toBe(3);
    go();
    await scene.until(() => receivers.every(({ messages }) => messages.length === 1));
  });

  test("are searched for again after nine times as long as a search takes", async () => {
    const { temp } = scene;
    const { held, go } = await six(() => "busy");
    await scene.deliverer({ slots: 20, maxOfAgent: 1, shares: { address: 1, network: 20 } });
    await scene.until(() => held() === 3);
    const { webhooks } = temp.store;
    const lease = webhooks.lease.bind(webhooks);
    let searches = 0;
    webhooks.lease = (terms, due) => {
      if (due.which === "all") {
        searches++;
        temp.clock.advance(200);
      }
      return lease(terms, due);
    };
    go();
    await scene.until(() => searches === 1);
    await scene.until(() => held() === 6 && scene.settledCount === 6);
    await turns();
    expect(temp.clock.waits).toContain(1_800);
  });

  test("are left to prompt receivers by new ones", async () => {
    const prompt = await scene.hook("prompt");
    await scene.events(1);
    const first = await scene.deliverer();
    await scene.settled(1);
    await first.stop();
    const { held, go } = await six((n) => `host ${n}`);
    await scene.deliverer({ slots: 4 });
    await scene.until(() => held() === 3);
    await scene.events(1);
    await scene.until(() => prompt.messages.length === 2);
    expect(held()).toBe(3);
    go();
    await scene.until(() => scene.settledCount === 8);
  });

  test("are left to new receivers by slow ones", async () => {
    const { receivers } = await six((n) => `host ${n}`);
    for (const receiver of receivers) {
      receiver.answer = () => {
        scene.temp.clock.advance(1_001);
        return respond(200)();
      };
    }
    await scene.deliverer({ slots: 4 });
    await scene.until(() => scene.settledCount === 6);
    for (const receiver of receivers) receiver.answer = HANG;
    for (const n of SIX) await scene.events(1, `held ${n}`);
    const hanging = () => receivers.filter(({ messages }) => messages.length === 2).length;
    await scene.until(() => hanging() === 2);
    const quick = await scene.hook("quick");
    await scene.events(1);
    await scene.until(() => quick.messages.length === 1);
    expect(hanging()).toBe(2);
  });
});

test("a test message is sent once", async () => {
  const receiver = await scene.hook("one", {}, respond(500));
  const deliverer = await scene.deliverer();
  await scene.temp.store.webhooks.test("agent", "one", 9);
  deliverer.wake("agent");
  await scene.settled(1);
  scene.advance(27 * 3_600_000);
  expect(receiver.messages.map(({ id, event }) => `${id} ${event.type}`)).toEqual([
    "one-test-1 webhook.test",
  ]);
  expect(await scene.log("one")).toEqual(["test  failed 1 500"]);
});

test("a server that stops interrupts an attempt, and the next one makes it again", async () => {
  const receiver = await scene.hook("one", {}, HANG);
  await scene.events(1);
  const stopped = await scene.deliverer();
  await receiver.got(1);
  const stopping = stopped.stop();
  await scene.temp.clock.pass(1_000);
  await stopping;
  expect(await scene.log("one")).toEqual(["event 1 pending 0 "]);
  receiver.answer = respond(200);
  await scene.deliverer();
  await scene.settled(1);
  expect(receiver.events).toEqual([1, 1]);
});

test("each pause is that of its attempt", async () => {
  await scene.hook("one", {}, respond(500));
  await scene.events(1);
  await scene.deliverer();
  await scene.settled(1);
  await scene.temp.clock.pass(10_000);
  await scene.settled(2);
  expect(await scene.log("one")).toEqual(["event 1 pending 2 500"]);
  const [row] = await scene.temp.store.webhooks.list("agent");
  expect(row?.retryAt).toBe(scene.temp.clock.now() + 300_000);
});

test("an event is tried ten times in about 76 hours", () => {
  const pauses = Array.from({ length: 10 }, (_, n) => nextPause(n + 1));
  const minutes = pauses.map((pause) => pause && pause / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440, null]);
});
