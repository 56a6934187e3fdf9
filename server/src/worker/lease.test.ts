import { expect, test } from "bun:test";
import { insertLaunch } from "../testing/launches.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { leaseNext } from "./transitions.ts";

function block({ store }: TempStore): Promise<boolean> {
  const change = { actor: "ops", action: "block", subject: null, detail: null, reason: null };
  return store.operator.setRule("agent", { list: "blocked", isOn: true }, change);
}

test("the launches of a blocked agent end failed before they cost anything, and others are leased", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const blocked = [await insertLaunch(temp, "ONE"), await insertLaunch(temp, "TWO")];
  const other = await insertLaunch(temp, "OTHER", { wallet: "other" });
  await block(temp);
  expect(await leaseNext(launches)).toBe("refused");
  for (const eventId of blocked) {
    expect(await launches.find("agent", eventId)).toMatchObject({
      status: "failed",
      error: "The service's operator has blocked the wallet",
    });
  }
  expect(await leaseNext(launches)).toMatchObject({
    launch: { eventId: other },
  });
});

test("what was set aside for a launch that nothing was signed for goes back when it ends without a token", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const eventId = await insertLaunch(temp, "ONE");
  await launches.lease("crashed", 60_000);
  const wallet = { walletLamports: 1_000n, minWalletLamports: 0n, maxDailyLamports: 100n };
  await launches.reserve(eventId, "crashed", { ...wallet, lamports: 70n });
  await launches.recover();
  await block(temp);
  expect(await leaseNext(launches)).toBe("refused");
  expect(await launches.spentToday()).toBe(0n);
});
