import { setTimeout as sleep } from "node:timers/promises";
import type { TestDatabases } from "../../../server/src/testing/postgres.ts";
import type { CountLaunches } from "../compare-with-chain.ts";
import { sql } from "./postgres-pair.ts";

/** After so long without a launch that ends, those that are pending are stuck; milliseconds. */
const STANDSTILL_MS = 60_000;

export function countLaunches(postgres: TestDatabases, database: string): CountLaunches {
  return async () => {
    const counts = "select count(*), count(*) filter (where status = 'pending') from launches";
    const [launches = 0, pending = 0] = (await sql(postgres, counts, database))
      .split("|")
      .map(Number);
    return { launches, pending };
  };
}

/** Waits while launches end, until none is pending or no more end. */
export async function untilAtRest(count: CountLaunches): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let since = performance.now();
  for (;;) {
    const { pending } = await count();
    if (pending === 0) return;
    if (pending < least) {
      least = pending;
      since = performance.now();
    }
    if (performance.now() - since > STANDSTILL_MS) return;
    await sleep(100);
  }
}
