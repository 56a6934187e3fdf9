import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { copyToken, insertToken } from "../../testing/launches.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import type { CardFacts } from "./card.ts";
import { TokenCards } from "./cards.ts";

/** Of cards that are kept at once, for all clients and for one address. */
const [MOST, MOST_OF_ADDRESS] = [300, 30];
const KEPT_MS = 10 * 60_000;

let at: TempStore;
beforeEach(() => {
  at = tempStore();
});
afterEach(() => at[Symbol.dispose]());

/** Cards that are not drawn, so that many cost nothing. */
function cardsOf(address = 10) {
  const drawn: CardFacts[] = [];
  const cards = new TokenCards({
    store: at.store,
    images: { hashOf: () => null, read: () => Promise.reject(new Error("no image")) },
    decoder: {
      make: async (facts) => {
        drawn.push(facts as CardFacts);
        return { ...PLAIN, bytes: Uint8Array.of(drawn.length) };
      },
    },
    shares: { address, network: 0 },
    service: "tokend",
  });
  return { cards, drawn };
}
const PLAIN = { mediaType: "image/png", small: null, medium: null } as const;

test("a card is drawn once for all who ask, is kept ten minutes, and is gone once its token is hidden", async () => {
  const { tokenMint } = await insertToken(at, "KEPT", { wallet: "kept" });
  const { cards, drawn } = cardsOf();
  const read = async () => [...(await cards.read(tokenMint, "192.0.2.1"))];
  expect(await Promise.all([read(), read(), read()])).toEqual([[1], [1], [1]]);
  at.clock.advance(KEPT_MS - 1);
  expect(await read()).toEqual([1]);
  at.clock.advance(1);
  expect(await read()).toEqual([2]);
  expect(drawn).toHaveLength(2);
  const change = { actor: "test", action: "hide", subject: tokenMint, detail: null, reason: null };
  await at.store.takedowns.setHidden(tokenMint, true, change);
  for (const mint of [tokenMint, "unknown"]) {
    expect(await serviceErrorFrom(() => cards.read(mint, null))).toMatchObject({
      wireCode: "token_not_found",
    });
  }
});

test("a card that could not be drawn is drawn again after a minute", async () => {
  const { tokenMint } = await insertToken(at, "BROKEN", { wallet: "broken" });
  const { cards, drawn } = cardsOf();
  const history = spyOn(at.store.markets, "history").mockRejectedValueOnce(
    new Error("no database"),
  );
  await expect(cards.read(tokenMint, "192.0.2.1")).rejects.toThrow("no database");
  at.clock.advance(59_999);
  await expect(cards.read(tokenMint, "192.0.2.1")).rejects.toThrow("no database");
  expect(history).toHaveBeenCalledTimes(1);
  at.clock.advance(1);
  expect([...(await cards.read(tokenMint, "192.0.2.1"))]).toEqual([1]);
  expect(drawn).toHaveLength(1);
});

test("an address, and all of them together, have only a number of cards drawn in ten minutes", async () => {
  await insertToken(at, "COPIED");
  const copies = copyToken(at.path, MOST);
  // The store sees them once it has written itself.
  const mints = [...copies, (await insertToken(at, "LATER", { wallet: "other" })).tokenMint];
  const { cards, drawn } = cardsOf();
  const read = (n: number, address: string) => cards.read(mints[n] ?? "", address);
  const refusal = async (n: number, address: string) => {
    const { wireCode, retryAfterSeconds } = await serviceErrorFrom(() => read(n, address));
    return [wireCode, retryAfterSeconds];
  };
  for (let n = 0; n < MOST; n++) {
    const address = `192.0.2.${Math.floor(n / MOST_OF_ADDRESS)}`;
    await read(n, address);
    if (n === MOST_OF_ADDRESS - 1) expect(await refusal(MOST, address)).toEqual(["share_used", 60]);
  }
  expect(await refusal(MOST, "198.51.100.1")).toEqual(["too_many_requests", 60]);
  // What is kept costs nothing.
  await read(0, "192.0.2.0");
  expect(drawn).toHaveLength(MOST);
  at.clock.advance(KEPT_MS);
  await read(MOST, "192.0.2.0");
});
