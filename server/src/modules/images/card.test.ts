import { expect, test } from "bun:test";
import { pngImage } from "../../../../test/support/images.ts";
import { type CardFacts, draw } from "./card.ts";

const PLAIN: CardFacts = {
  kind: "card",
  service: "tokend",
  ticker: "MINE",
  name: "My token",
  marketCap: null,
  progress: null,
  isMigrated: false,
  prices: [],
  image: null,
};

async function pixelsOf(other: Partial<CardFacts>): Promise<string> {
  const { bytes } = await draw({ ...PLAIN, ...other });
  expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: 1_200, height: 630 });
  return Bun.hash(bytes).toString();
}

test("whatever a card knows changes its pixels", async () => {
  const white = Buffer.alloc(25 * 8, 255);
  for (let row = 0; row < 8; row++) white[25 * row] = 0;
  const facts: Record<string, Partial<CardFacts>> = {
    nothing: {},
    ticker: { ticker: "OTHER" },
    name: { name: "Your token" },
    service: { service: "Acme" },
    "black picture": { image: pngImage(8, 8) },
    "white picture": { image: pngImage(8, 8, [], white) },
    cap: { marketCap: "54.48 SOL" },
    "half of the curve": { progress: 0.5 },
    "all of the curve": { progress: 1 },
    graduated: { progress: 1, isMigrated: true },
  };
  const drawn = new Map<string, string>();
  for (const [name, other] of Object.entries(facts)) drawn.set(await pixelsOf(other), name);
  expect([...drawn.values()]).toEqual(Object.keys(facts));
});

test("of a name that its font cannot draw, a card shows nothing beside the ticker", async () => {
  const none = await pixelsOf({ name: "" });
  for (const name of ["日本語", "My 🐒"]) expect(await pixelsOf({ name })).toBe(none);
});

test("the last letter of the longest ticker is drawn", async () => {
  for (const ticker of ["HATSFORAGE", "WWWWWWWWWW"]) {
    const shorter = ticker.slice(0, -1);
    expect(await pixelsOf({ ticker })).not.toBe(await pixelsOf({ ticker: `${shorter}X` }));
  }
});

test("the line of a card runs by time, in whatever unit", async () => {
  const drawn = async (...times: number[]) => {
    const prices = times.map((at, index) => ({ at, price: index % 2 }));
    return await pixelsOf({ prices });
  };
  const [even, scaled, early] = [
    await drawn(0, 1, 2),
    await drawn(10, 20, 30),
    await drawn(0, 0.5, 2),
  ];
  expect(scaled).toBe(even);
  expect(early).not.toBe(even);
});
