import { expect, test } from "bun:test";
import { draw } from "./card.ts";

test("the line of a card runs by time, in whatever unit", async () => {
  const about = { kind: "card", service: "tokend", ticker: "MINE", name: "My token" } as const;
  const drawn = async (...times: number[]) => {
    const prices = times.map((at, index) => ({ at, price: index % 2 }));
    const market = { marketCap: null, progress: null, isMigrated: false, image: null };
    return (await draw({ ...about, ...market, prices })).bytes;
  };
  const [even, scaled, early] = [
    await drawn(0, 1, 2),
    await drawn(10, 20, 30),
    await drawn(0, 0.5, 2),
  ];
  expect(Buffer.compare(even, scaled)).toBe(0);
  expect(Buffer.compare(even, early)).not.toBe(0);
});
