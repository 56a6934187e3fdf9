import { expect, test } from "bun:test";
import { insertLaunch, insertToken, newAttempt } from "../testing/launches.ts";
import { tempStore } from "../testing/temp-store.ts";
import { leaseNext } from "./lease.ts";

test("the next launch that is due is leased, and no other worker gets it", () => {
  using temp = tempStore();
  const { launches } = temp.store;
  expect(leaseNext(launches, temp.clock)).toBeNull();
  const eventId = insertLaunch(temp, "ONE");
  expect(leaseNext(launches, temp.clock)).toMatchObject({ launch: { eventId, attempts: 1 } });
  expect(leaseNext(launches, temp.clock)).toBeNull();
});

test("a launch of an agent that has launched today ends rate_limited instead", () => {
  using temp = tempStore();
  const { launches } = temp.store;
  insertToken(temp, "DONE");
  const eventId = insertLaunch(temp, "ONE");
  const other = insertLaunch(temp, "OTHER", { wallet: "other" });
  expect(leaseNext(launches, temp.clock)).toBe("rate_limited");
  expect(launches.find("agent", eventId)?.status).toBe("rate_limited");
  expect(leaseNext(launches, temp.clock)).toMatchObject({ launch: { eventId: other } });
});

test("a launch with an undecided transaction is leased, though its agent has launched today", () => {
  using temp = tempStore();
  const { launches } = temp.store;
  temp.clock.set(Date.UTC(2026, 2, 2));
  insertToken(temp, "DONE");
  temp.clock.advance(-1);
  const eventId = insertLaunch(temp, "ONE");
  const first = leaseNext(launches, temp.clock);
  if (first === null || first === "rate_limited") throw new Error("ONE was not leased");
  launches.recordAttempt(eventId, first.id, newAttempt("ONE"), "2026-03-01");
  launches.postpone(eventId, first.id, temp.clock.now());
  temp.clock.advance(1);
  expect(leaseNext(launches, temp.clock)).toMatchObject({ launch: { eventId, day: "2026-03-01" } });
});
