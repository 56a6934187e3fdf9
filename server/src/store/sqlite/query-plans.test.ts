import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import { handOutLaunch, insertToken, submit } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { newLaunch } from "../testing/rows.ts";

const OPEN = "launches_due|launches_undecided|launches_reserved|launches_paid|prepared_submitted";
const READS_ALL = new RegExp(
  `^SCAN (l|other|launches|prepared|tokens|images)\\b(?! USING (COVERING )?INDEX (${OPEN})$)|tokens_id_unique \\(id>`,
);

const ONE = newLaunch("ONE", { address: "192.0.2.1" });

test("what a server asks again and again, and a takedown, take no longer the more launches have ended", async () => {
  using temp = tempStore();
  const { launches, prepared, images, takedowns } = temp.store;
  const limits = {
    ...UNBOUNDED,
    ...{ maxOfAgent: 9, maxOfAddress: 9, maxPending: 9, maxPerHour: 9 },
    budget: { maxDailyLamports: 9n, launchLamports: 1n },
  };
  const { tokenMint } = await insertToken(temp, "HIDDEN", { wallet: "third" });
  const asked = new Set<string>();
  const prepare = spyOn(Database.prototype, "prepare");
  try {
    await launches.insert([ONE], limits);
    for (const terms of [{}, { maxPerHour: 9 }]) await launches.lease("lease", 1_000, terms);
    await launches.reserve(ONE.eventId, "lease", {
      ...{ lamports: 1n, maxDailyLamports: null },
      ...{ walletLamports: 9n, minWalletLamports: 0n },
    });
    await submit(temp, await handOutLaunch(temp, "PAID", { wallet: "other" }), { maxPerHour: 9 });
    await launches.find("agent", ONE.eventId);
    await launches.ofAgents();
    await launches.endWaiting({ eventIds: [ONE.eventId] }, "not signed", true);
    await launches.endWaiting({ queuedBy: -1 }, "waited too long");
    await launches.refuse("agent", "none", "launched_today");
    await launches.recover();
    await launches.backlog();
    await prepared.unsettled();
    await prepared.countSubmitted();
    await images.deleteUnused(5);
    const change = { actor: "test", action: "test", subject: null, detail: null, reason: null };
    for (const isHidden of [true, false]) await takedowns.setHidden(tokenMint, isHidden, change);
    await takedowns.forget("forgotten", change);
    for (const [text] of prepare.mock.calls) if (/ from /.test(text)) asked.add(text);
  } finally {
    prepare.mockRestore();
  }
  using client = new Database(temp.path, { readonly: true });
  const steps = [...asked].flatMap((text) => {
    const plan = client.query<{ detail: string }, []>(`explain query plan ${text}`).all();
    return plan.map(({ detail }) => ({ detail, text }));
  });
  expect(steps.length).toBeGreaterThan(20);
  expect(steps.filter(({ detail }) => READS_ALL.test(detail))).toEqual([]);
  const reserving = steps.filter(({ text }) => text.startsWith("with today"));
  expect(reserving.filter(({ detail }) => detail.includes("launches_reserved"))).toHaveLength(2);
  expect(reserving.filter(({ detail }) => detail.includes("launches_due"))).toEqual([]);
});
