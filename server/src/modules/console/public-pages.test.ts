import { expect, spyOn, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { PublicPages } from "./public-pages.ts";

function pagesOf({ store }: ReturnType<typeof tempStore>) {
  const terms = () => Promise.reject(new Error("no chain"));
  return new PublicPages({ store, terms, isPrivate: false });
}

test("a list that many ask for is read once in ten seconds", async () => {
  const clock = new ManualClock();
  using temp = tempStore(clock);
  const pages = pagesOf(temp);
  const read = spyOn(temp.store.markets, "list");
  await Promise.all(Array.from({ length: 20 }, () => pages.list("top", "", 0)));
  clock.advance(9_999);
  await pages.list("top", "", 0);
  expect(read).toHaveBeenCalledTimes(1);
  clock.advance(1);
  await pages.list("top", "", 0);
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
  const searches = Array.from({ length: 20 }, (_, n) => pages.list("new", `search ${n}`, 0));
  expect((await Promise.all(searches)).every(({ tokens }) => tokens.length === 0)).toBe(true);
  expect(most).toBe(1);
});
