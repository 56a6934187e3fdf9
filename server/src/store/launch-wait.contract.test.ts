import { expect, test } from "bun:test";
import { MAX_PLACE } from "./launches.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch } from "./testing/rows.ts";

describeStore("what a launch waits for", (at) => {
  const wait = async (eventId: string, wallet = "agent") =>
    (await at.launches.find(wallet, eventId))?.wait;

  test("is its turn at first, with its place among all launches that are pending", async () => {
    const since = at.now();
    const one = await at.insert("ONE", { wallet: "first" });
    const two = await at.insert("TWO");
    const three = await at.insert("THREE", { wallet: "third" });
    await at.advance(1_000);
    expect(await wait(two)).toEqual({ reason: "queue", since, place: 2 });
    expect(await wait(three, "third")).toEqual({ reason: "queue", since, place: 3 });
    await at.launches.cancel("first", one, "Cancelled");
    expect((await wait(three, "third"))?.place).toBe(2);
  });

  test("is counted up to a thousand places", async () => {
    const batch = Array.from({ length: MAX_PLACE + 5 }, (_, n) =>
      newLaunch(`Q${n}`, { wallet: `w${n}`, createdAt: at.now() }),
    );
    await at.launches.insert(batch);
    const placeOf = async (n: number) => (await wait(batch[n]?.eventId ?? "", `w${n}`))?.place;
    expect(await placeOf(MAX_PLACE - 2)).toBe(MAX_PLACE - 1);
    expect(await placeOf(MAX_PLACE + 4)).toBe(MAX_PLACE);
  });

  test("is its deployment from its first lease on, and its confirmation once it is signed", async () => {
    const eventId = await at.insert("ONE");
    await at.advance(1_000);
    const leasedAt = at.now();
    await at.lease("a");
    await at.advance(1_000);
    expect(await wait(eventId)).toEqual({ reason: "deployment", since: leasedAt, place: null });
    const signedAt = at.now();
    await at.launches.recordAttempt(eventId, "a", newAttempt("ONE"));
    await at.advance(1_000);
    expect(await wait(eventId)).toEqual({ reason: "confirmation", since: signedAt, place: null });
  });

  test("is what it was put off for, since it first was, until it is signed", async () => {
    const eventId = await at.insert("ONE");
    const since = at.now();
    for (let round = 0; round < 3; round++) {
      await at.lease("a");
      await at.launches.postpone(eventId, "a", { delayMs: 1_000, reason: "launch_wallet_short" });
      expect(await wait(eventId)).toEqual({ reason: "launch_wallet_short", since, place: null });
      await at.advance(1_000);
    }
    await at.lease("a");
    expect(await wait(eventId)).toEqual({ reason: "launch_wallet_short", since, place: null });
    await at.launches.postpone(eventId, "a", { delayMs: 0, reason: "chain_unavailable" });
    const away = { reason: "chain_unavailable", since: at.now(), place: null } as const;
    expect(await wait(eventId)).toEqual(away);
    await at.lease("a");
    await at.advance(1_000);
    await at.launches.postpone(eventId, "a", { delayMs: 0 });
    expect(await wait(eventId)).toEqual(away);
    await at.lease("a");
    await at.launches.recordAttempt(eventId, "a", newAttempt("ONE"));
    expect(await wait(eventId)).toMatchObject({ reason: "confirmation" });
  });

  test("is its turn again if its server stops before it signed anything", async () => {
    const eventId = await at.insert("ONE");
    await at.lease("a");
    await at.launches.postpone(eventId, "a", { delayMs: 0 });
    expect(await wait(eventId)).toEqual({ reason: "queue", since: at.now(), place: 1 });
  });

  test("is nothing once it has ended, and its turn after a retry", async () => {
    const eventId = await at.insert("ONE");
    await at.lease("a");
    await at.launches.postpone(eventId, "a", { delayMs: 0, reason: "chain_unavailable" });
    await at.lease("b");
    await at.launches.fail(eventId, "b", { message: "refused" });
    expect(await wait(eventId)).toBeNull();
    await at.advance(1_000);
    await at.launches.retry({ wallet: "agent", eventId, address: null, now: at.now() });
    expect(await wait(eventId)).toEqual({ reason: "queue", since: at.now(), place: 1 });
  });
});
