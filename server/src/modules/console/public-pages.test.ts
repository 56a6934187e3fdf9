import { expect, spyOn, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { PublicPages } from "./public-pages.ts";

function pagesOf({ store }: ReturnType<typeof tempStore>) {
  const terms = () => Promise.reject(new Error("no chain"));
  return new PublicPages({ store, terms, isPrivate: false, shares: { address: 1, network: 10 } });
}

test("a list that many ask for is read once in ten seconds", async () => {
  const clock = new ManualClock();
  using temp = tempStore(clock);
  const pages = pagesOf(temp);
  const read = spyOn(temp.store.markets, "list");
  await Promise.all(Array.from({ length: 20 }, () => pages.list({ order: "top" }, null)));
  clock.advance(9_999);
  await pages.list({ order: "top" }, null);
  expect(read).toHaveBeenCalledTimes(1);
  clock.advance(1);
  await pages.list({ order: "top" }, null);
  expect(read).toHaveBeenCalledTimes(2);
});

test("of twenty searches at once one runs, so that what others read waits for one alone", async () => {
  using temp = tempStore();
  const pages = pagesOf(temp);
  const { markets } = temp.store;
  const list = markets.list.bind(markets);
  let [running, most] = [0, 0];
  spyOn(markets, "list").mockImplementation(async (part) => {
    most = Math.max(most, ++running);
    const rows = await list(part);
    running--;
    return rows;
  });
  const searches = Array.from({ length: 20 }, (_, n) =>
    pages.list({ search: `search ${n}` }, null),
  );
  expect((await Promise.all(searches)).every(({ tokens }) => tokens.length === 0)).toBe(true);
  expect(most).toBe(1);
});

test("after a search the service has three times as long for other work", async () => {
  const clock = new ManualClock();
  using temp = tempStore(clock);
  const pages = pagesOf(temp);
  const { markets } = temp.store;
  const list = markets.list.bind(markets);
  const read = spyOn(markets, "list").mockImplementation((part) => {
    clock.advance(500);
    return list(part);
  });
  await pages.list({ search: "one" }, null);
  const second = pages.list({ search: "two" }, null);
  await turns();
  // The newest tokens are found at once, so they wait for no search.
  await pages.list({}, null);
  expect(read).toHaveBeenCalledTimes(2);
  clock.advance(1_000);
  await second;
  expect(read).toHaveBeenCalledTimes(3);
});

test("an address waits for four searches, all together for twenty, and the newest tokens are free", async () => {
  using temp = tempStore();
  const pages = pagesOf(temp);
  const { promise, resolve } = Promise.withResolvers<[]>();
  spyOn(temp.store.markets, "list").mockReturnValue(promise);
  let searches = 0;
  const search = (address: string) => pages.list({ search: `${searches++}` }, address);
  const codeOf = async (address: string) =>
    (await serviceErrorFrom(() => search(address))).wireCode;
  const waiting = Array.from({ length: 20 }, (_, n) => search(`192.0.${n >> 2}.1`));
  expect(await codeOf("192.0.0.1")).toBe("share_used");
  expect(await codeOf("198.51.100.1")).toBe("too_many_requests");
  const newest = pages.list({ offset: 168 }, "192.0.0.1");
  resolve([]);
  await Promise.all([...waiting, newest]);
  await search("192.0.0.1");
});
