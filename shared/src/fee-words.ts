import type { TradeFee } from "./types.ts";

type Fee = Omit<TradeFee, "creatorSharePercent">;

const percent = (bps: number) => `${Number((bps / 100).toPrecision(4))} %`;

/** Describes a fee, for example `50 % of each trade, falling to 1 % within 10 min`. */
export function feeInWords({
  startBps,
  endBps,
  schedule,
  volatilityBps,
  firstBuyBps,
}: Fee): string {
  const within =
    schedule &&
    `, falling ${schedule.shape === "linear" ? "evenly" : "fast at first"} to ${percent(endBps)} within ${inTime(schedule.steps * schedule.seconds)}`;
  const later = startBps === endBps ? "" : `, later ${percent(endBps)}`;
  const more = volatilityBps
    ? `, and up to ${percent(volatilityBps)} more while the price moves`
    : "";
  const first =
    firstBuyBps === undefined
      ? ""
      : `; what the creator buys in the launch itself pays ${percent(firstBuyBps)}`;
  return `${percent(startBps)} of each trade${within ?? later}${more}${first}`;
}

/** Formats a duration, for example `10 min` or `1.5 h`. */
export function inTime(seconds: number): string {
  const [size, unit] = seconds < 120 ? [1, "s"] : seconds < 5_400 ? [60, "min"] : [3_600, "h"];
  return `${Number((seconds / size).toFixed(1))} ${unit}`;
}
