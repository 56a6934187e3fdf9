import { expect, test } from "bun:test";
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
    setTime(time: string) {
      timestamp = time;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("several processes take no more places than there are", async () => {
  using state = setUp(3);
  const tickers = Array.from({ length: 20 }, (_, index) => `T${index}`);
  const taken = await Promise.allSettled(tickers.map((ticker) => state.open().take(ticker)));
  expect(taken.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(3);
  expect((await state.open().today()).size).toBeLessThanOrEqual(3);
});

test("a ticker takes one place, and its repeat keeps it when the repeat is given back", async () => {
  using state = setUp(1);
  const first = await state.open().take("AAA");
  const repeat = await state.open().take("AAA");
  await repeat.release();
  await expect(state.open().take("BBB")).rejects.toThrow("Launches today (UTC): AAA.");
  await first.release();
  await state.open().take("BBB");
});

test("tokens of the service's day count, on whatever page of its list they are", async () => {
  using state = setUp(3, [
    `${TODAY}T08:00:00.000Z`,
    `${TODAY}T00:00:00.000Z`,
    "2026-03-01T23:59:59.999Z",
  ]);
  expect(await state.open().today()).toEqual(new Set(["OLD0", "OLD1"]));
  await state.open().take("AAA");
  await expect(state.open().take("BBB")).rejects.toThrow("allows 3 a day");
  state.setTime("2026-03-03T00:00:00.000Z");
  await state.open().take("BBB");
});

test("what a service says becomes the name of no other file", async () => {
  using state = setUp(1);
  await expect(state.open().take("../../../AAA")).rejects.toThrow("ticker makes no sense");
  state.setTime("../../../../etc");
  await expect(state.open().take("AAA")).rejects.toThrow("The service's time makes no sense");
});
