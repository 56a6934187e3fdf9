import type { Measured } from "./rounds.ts";
import type { Figures, Goal } from "./row.ts";

/** A goal that a figure is at least a multiple of another. */
export function atLeast(value: number, least: number, of: string): Goal {
  return {
    goal: `≥ ${least} × ${of}`,
    reached: `${ratio(value)} ×`,
    isReached: value >= least,
  };
}

/** A goal that a figure is at most a multiple of another. */
export function atMost(value: number, most: number, of: string): Goal {
  return { goal: `≤ ${most} × ${of}`, reached: `${ratio(value)} ×`, isReached: value <= most };
}

/** @returns two digits after the point, one from 10 on */
export function ratio(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

/** Throughput and latencies of all contestants, with throughput also as a share of the first's. */
export function loadFigures(measured: ReadonlyMap<string, Measured>, unit: string): Figures {
  const [first] = measured.values();
  return {
    columns: ["", `${unit}/s`, `of ${[...measured.keys()][0]}`, "p50 ms", "p99 ms"],
    lines: [...measured].map(([name, { perSecond, p50, p99 }]) => [
      name,
      Math.round(perSecond).toLocaleString("en"),
      `${ratio(perSecond / (first?.perSecond ?? 1))} ×`,
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  };
}

/** @throws {Error} if nothing of that name was measured */
export function figure(measured: ReadonlyMap<string, Measured>, name: string): Measured {
  const found = measured.get(name);
  if (!found) throw new Error(`${name} was not measured`);
  return found;
}
