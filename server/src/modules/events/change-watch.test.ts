import { expect, test } from "bun:test";
import { sharesOf } from "../../domain/shares.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { newLaunch } from "../../store/testing/rows.ts";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { PATIENT, sharedPostgres } from "../../testing/postgres.ts";
import { ChangeWatch, EventReaders } from "./event-readers.ts";
import { EventService } from "./service.ts";

const UNBOUNDED = sharesOf(100, 100, { address: 0, network: 0 });
const HOUR_MS = 3_600_000;
/** Milliseconds from one question to the next. */
const QUESTION_MS = 50;

describePostgres("servers of one database", () => {
  test("tell their clients of the events that another server adds, each its own wallet's", async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [store, another] = [
      await openPostgresStore(url, { timeouts: PATIENT }),
      await openPostgresStore(url, { timeouts: PATIENT }),
    ];
    const manual = new ManualClock();
    const clock = {
      now: () => store.clock.now(),
      elapsed: manual.elapsed.bind(manual),
      after: manual.after.bind(manual),
    };
    const readers = new EventReaders(UNBOUNDED, clock);
    let questions = 0;
    let reads = 0;
    let onRead = () => {};
    const events: Pick<typeof store.events, "read" | "changedSince"> = {
      async read(...asked) {
        const found = await store.events.read(...asked);
        reads++;
        onRead();
        return found;
      },
      changedSince(time) {
        questions++;
        return store.events.changedSince(time);
      },
    };
    const watch = new ChangeWatch({ events, clock }, readers);
    readers.onFirst = () => void watch.start();
    try {
      const service = new EventService({ events, clock }, readers);
      expect(questions).toBe(0);
      for (const round of [1, 2]) {
        const { signal } = new AbortController();
        reads = 0;
        const bothRead = new Promise<void>((resolve) => {
          onRead = () => reads >= 2 && resolve();
        });
        const [first, stayed] = ["one", "two"].map((wallet) =>
          service.list({ wallet, address: null }, "latest", { limit: 9, waitMs: HOUR_MS, signal }),
        );
        // Each client knows what is the latest before there is more.
        await bothRead;
        const launch = newLaunch(`A${round}`, { wallet: "one", createdAt: another.clock.now() });
        await another.launches.insert([launch]);
        await another.launches.lease("holder", 60_000);
        await another.launches.fail(launch.eventId, "holder", { message: "refused" });
        while (Bun.peek.status(first) === "pending") await manual.pass(QUESTION_MS);
        expect(await first).toMatchObject({ events: [{ id: round }] });
        expect(readers.count).toBe(1);
        readers.endAll();
        expect(await stayed).toEqual({ events: [], nextAfter: 0 });
      }
      const asked = questions;
      await watch.begin();
      expect({ questions, waits: manual.waits }).toEqual({ questions: asked, waits: [] });
    } finally {
      await watch.stop();
      await store.close();
      await another.close();
      await (await sharedPostgres()).dropDatabase(url);
    }
  });
});
