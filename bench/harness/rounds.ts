import type { Scale } from "./row.ts";
import { median } from "./statistics.ts";
import type { Load } from "./wrk.ts";

/** Medians over the rounds. */
export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Measures contestants in turn, each round in another order, so that other work of the machine slows
 * all of them alike.
 *
 * @param measure loads one contestant for some seconds
 * @param count returns what is counted per second; by default the requests
 * @returns medians by name
 */
export async function interleave<C extends { readonly name: string }>(
  contestants: readonly C[],
  { rounds, seconds, warmUpSeconds }: Scale,
  measure: (contestant: C, seconds: number) => Promise<Load>,
  count = (load: Load) => load.requests,
): Promise<Map<string, Measured>> {
  const loads = new Map<string, Load[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of warmUpSeconds > 0 ? contestants : []) {
    await measure(contestant, warmUpSeconds);
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(round + turn) % contestants.length] as C;
      loads.get(contestant.name)?.push(await measure(contestant, seconds));
    }
  }
  return new Map(
    [...loads].map(([name, all]) => [
      name,
      {
        perSecond: median(all.map((load) => count(load) / load.seconds)),
        p50: median(all.map((load) => load.p50)),
        p99: median(all.map((load) => load.p99)),
      },
    ]),
  );
}
