import { expect, test } from "bun:test";
import { ApiError } from "@tokenctl/sdk";
import { temporaryFolder } from "../testing/cli.ts";
import { LaunchAllowance } from "./launch-allowance.ts";

const TODAY = "2026-03-02";

/** @param deployed times of the service's tokens, newest first */
function setUp(limit: number, deployed: readonly string[] = []) {
  const folder = temporaryFolder();
  let timestamp = `${TODAY}T09:00:00.000Z`;
  const tokens = deployed.map((deployedAt, index) => ({ ticker: `OLD${index}`, deployedAt }));
  const client = {
    health: async () => ({ ok: true, db: "connected", timestamp }) as const,
    tokens: async ({ cursor = "0" }: { cursor?: string | undefined }) => {
      const page = Number(cursor);
      const next = { nextCursor: String(page + 1) };
      const items = tokens.slice(page, page + 1) as never[];
      return { tokens: items, ...(page + 1 < tokens.length && next) };
    },
  };
  const open = () => new LaunchAllowance({ client, folder: folder.path, limit });
  return {
    open,
    /** Asks for a launch in a process of its own; the service answers with this. */
    launch: (ticker: string, answer: () => Promise<unknown> = async () => {}, key = "key") =>
      open().launch({ ticker, key: () => key, signal: undefined }, answer),
    setTime(time: string) {
      timestamp = time;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const refusal = (status: number) =>
  new ApiError("ticker_taken", {
    status,
    body: { error: "No" },
    requestId: null,
    retryAfterSeconds: null,
  });

test("several processes take no more places than there are, and leave none that they do not take", async () => {
  using state = setUp(3);
  const tickers = Array.from({ length: 20 }, (_, index) => `T${index}`);
  const taken = await Promise.allSettled(tickers.map((ticker) => state.launch(ticker)));
  expect(taken.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(3);
  // Each of two calls may be refused because of the other's place; it is free then.
  for (const ticker of tickers) await state.launch(ticker).catch(() => {});
  expect((await state.open().today()).size).toBe(3);
});

test("a ticker takes one place, which only a refusal gives back", async () => {
  using state = setUp(1);
  for (const status of [500, 503]) {
    await expect(state.launch("AAA", () => Promise.reject(refusal(status)))).rejects.toThrow("No");
  }
  await state.launch("AAA");
  await expect(state.launch("AAA", () => Promise.reject(refusal(409)))).rejects.toThrow("No");
  await expect(state.launch("BBB")).rejects.toThrow("Launches today (UTC): AAA.");
  using other = setUp(1);
  await expect(other.launch("AAA", () => Promise.reject(refusal(409)))).rejects.toThrow("No");
  await other.launch("BBB");
});

test.each(["one process", "two processes"])(
  "of two launches of a ticker, the refused one gives back no place of the other: %s",
  async (processes) => {
    using state = setUp(1);
    const first = state.open();
    const second = processes === "one process" ? first : state.open();
    const begun = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const launching = (key: string) => ({ ticker: "AAA", key: () => key, signal: undefined });
    const order: string[] = [];
    const both = Promise.allSettled([
      first.launch(launching("a"), async () => {
        begun.resolve();
        await refused.promise;
        order.push("refused");
        throw refusal(409);
      }),
      begun.promise.then(() => second.launch(launching("b"), async () => order.push("accepted"))),
    ]);
    await begun.promise;
    if (first !== second) while (order.length === 0) await new Promise(setImmediate);
    refused.resolve();
    await both;
    // Those of one process follow each other.
    const wanted = ["refused", "accepted"];
    expect(order).toEqual(first === second ? wanted : wanted.reverse());
    await expect(state.launch("BBB")).rejects.toThrow("Launches today (UTC): AAA.");
  },
);

test("a launch is a repeat if one with its key was asked for that day", async () => {
  using state = setUp(2);
  const isRepeat = (key: string) =>
    state.open().isRepeat({ ticker: "AAA", key: (day) => day + key, signal: undefined });
  expect(await isRepeat("one")).toBe(false);
  await state.launch("AAA", undefined, `${TODAY}one`);
  expect([await isRepeat("one"), await isRepeat("two")]).toEqual([true, false]);
});

test("tokens of the service's day count, on whatever page of its list they are", async () => {
  using state = setUp(3, [
    `${TODAY}T08:00:00.000Z`,
    `${TODAY}T00:00:00.000Z`,
    "2026-03-01T23:59:59.999Z",
  ]);
  expect(await state.open().today()).toEqual(new Set(["OLD0", "OLD1"]));
  await state.launch("AAA");
  await expect(state.launch("BBB")).rejects.toThrow("allows 3 a day");
  state.setTime("2026-03-03T00:00:00.000Z");
  await state.launch("BBB");
});

test("what a service says becomes the name of no other file", async () => {
  using state = setUp(1);
  await expect(state.launch("../../../AAA")).rejects.toThrow("ticker is not valid");
  state.setTime("../../../../etc");
  await expect(state.launch("AAA")).rejects.toThrow("The service's timestamp is not valid");
});
