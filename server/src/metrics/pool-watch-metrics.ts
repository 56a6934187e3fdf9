import { Counter, Gauge, type Registry } from "prom-client";
import { WATCH_OUTCOMES, type WatchRound } from "../domain/watch-round.ts";

/**
 * Counts the rounds of the pool watch, and shows when the last whole one ended and how long it took.
 *
 * @returns what to call after each round
 */
export function poolWatchMetrics(registry: Registry): (round: WatchRound) => void {
  const rounds = new Counter({
    name: "tokend_pool_watch_rounds_total",
    help: "Rounds over the pools, by outcome; with other_server another one of the database does them",
    labelNames: ["outcome"],
    registers: [registry],
  });
  // A series that begins with 1 shows no increase.
  for (const outcome of WATCH_OUTCOMES) rounds.inc({ outcome }, 0);
  const seconds = new Gauge({
    name: "tokend_pool_watch_round_seconds",
    help: "Time that the last whole round took; NaN before the first",
    registers: [registry],
  });
  const endedAt = new Gauge({
    name: "tokend_pool_watch_last_round_timestamp_seconds",
    help: "Unix time at which the last whole round ended; NaN before the first",
    registers: [registry],
  });
  seconds.set(Number.NaN);
  endedAt.set(Number.NaN);
  return (round) => {
    rounds.inc({ outcome: round.outcome });
    if (round.outcome !== "done") return;
    seconds.set(round.milliseconds / 1000);
    endedAt.set(round.endedAt / 1000);
  };
}
