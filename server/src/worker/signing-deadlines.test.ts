import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { handOutLaunch, submit } from "../testing/launches.ts";
import { turns } from "../testing/scripted-launchpad.ts";
import { tempStore } from "../testing/temp-store.ts";
import { signingDeadlines } from "./wait-limit.ts";

const WITHIN_MS = 300_000;

test("launches end at their deadline, also if a transaction expires later, and the clock steps back", async () => {
  using temp = tempStore();
  const { clock, store } = temp;
  const { launches } = store;
  const deadlines = signingDeadlines(store, WITHIN_MS, createLog("silent"));
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await turns();
  };
  const accepted = async (wallet: string) =>
    (await handOutLaunch(temp, wallet, { wallet })).eventId;
  const statusOf = async (wallet: string, eventId: string) =>
    (await launches.find(wallet, eventId))?.status;
  deadlines.start();
  await turns();
  await pass(1_000);
  const unsigned = await accepted("UNSIGNED");
  const signed = await handOutLaunch(temp, "SIGNED");
  await submit(temp, signed);
  await pass(WITHIN_MS - 1);
  expect(await statusOf("UNSIGNED", unsigned)).toBe("pending");
  // It looks at most once a second.
  await pass(1_000);
  expect(await launches.find("UNSIGNED", unsigned)).toMatchObject({
    ...{ status: "failed", error: "Its agent did not sign it in time" },
  });
  expect(await statusOf("agent", signed.eventId)).toBe("pending");
  await pass(1_000);
  await launches.unsign(signed.eventId, { id: signed.id, leaseId: "holder" });
  await pass(1_000);
  expect(await statusOf("agent", signed.eventId)).toBe("failed");
  const early = await accepted("EARLY");
  clock.advance(-3_600_000);
  await pass(WITHIN_MS);
  await pass(WITHIN_MS);
  expect(await statusOf("EARLY", early)).toBe("failed");
  await deadlines.stop();
});
