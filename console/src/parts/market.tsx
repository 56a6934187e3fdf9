import type { Market, PricePoint } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { progressOf, useMarket } from "../data/market.ts";
import { percent } from "../data/numbers.ts";
import { SolNumber, Time } from "./format.tsx";
import { TimePlot } from "./plot.tsx";
import { Ready } from "./states.tsx";
import { Card, Empty, Switch } from "./ui.tsx";

const HOUR_MS = 3_600_000;
const KEPT_MS = 720 * HOUR_MS;

/** The service keeps prices for 30 days. The first of a token is that of its curve's beginning. */
const PERIODS = {
  hour: { read: "day", words: "in an hour", ms: HOUR_MS },
  day: { read: "day", words: "in 24 hours", ms: 24 * HOUR_MS },
  week: { read: "month", words: "in 7 days", ms: 168 * HOUR_MS },
  month: { read: "month", words: "in 30 days", ms: KEPT_MS },
  all: { read: "month", words: "", ms: Number.POSITIVE_INFINITY },
} as const;
type Period = keyof typeof PERIODS;

const NAMES = { hour: "1 h", day: "24 h", week: "7 d", month: "30 d", all: "All" } as const;
const ALL = ["hour", "day", "week", "month", "all"] as const;

/** A token's market, and the period of its chart. */
export function useChart(mint: string) {
  const [period, setPeriod] = useState<Period>("day");
  return { read: useMarket(mint, PERIODS[period].read), period, setPeriod };
}

/** How a token's worth went over time. */
export function Chart(props: {
  readonly of: ReturnType<typeof useChart>;
  readonly launchedAt: string;
  /** Null if the token has not graduated, or if it is not known when. */
  readonly migratedAt: string | null;
}) {
  const { of, launchedAt, migratedAt } = props;
  const { read, period, setPeriod } = of;
  const marks = [
    [Date.parse(launchedAt), "launched"] as const,
    ...(migratedAt === null ? [] : [[Date.parse(migratedAt), "graduated"] as const]),
  ];
  return (
    <Card
      title="Market cap"
      kind="chart"
      actions={
        <Switch label="Period" names={NAMES} all={ALL} chosen={period} onChoose={setPeriod} />
      }
    >
      <Ready of={read} what="the market" lines={5}>
        {({ market, prices, curve: [start] }) =>
          market ? (
            <Worth
              {...{ market, period, marks }}
              prices={
                start && beginsWithLaunch(prices, launchedAt, PERIODS[period].ms)
                  ? [{ at: launchedAt, priceSOL: start.priceSOL }, ...prices]
                  : prices
              }
            />
          ) : (
            <Empty title="No price yet">
              <p>The service has not read the pool of this token yet.</p>
            </Empty>
          )
        }
      </Ready>
    </Card>
  );
}

/** Of a token that is older than the prices that are kept, nothing is known between. */
function beginsWithLaunch([first]: readonly PricePoint[], launchedAt: string, ms: number): boolean {
  const at = Date.parse(launchedAt);
  const isFirst = first === undefined || at < Date.parse(first.at);
  return isFirst && at >= Date.now() - Math.min(KEPT_MS, ms);
}

function Worth(props: {
  readonly market: Market;
  readonly prices: readonly PricePoint[];
  readonly period: Period;
  readonly marks: readonly (readonly [at: number, name: string])[];
}) {
  const { market, prices, period, marks } = props;
  const { words, ms } = PERIODS[period];
  const now = Date.now();
  // The same for all: the supply changes only at migration, if at all.
  const supply = market.priceSOL === 0 ? 0 : market.marketCapSOL / market.priceSOL;
  const all = prices.map(({ at, priceSOL }) => [Date.parse(at), priceSOL * supply] as const);
  // The price before a period holds from its beginning.
  const before = all.findLast(([at]) => at < now - ms);
  const points = [
    ...(before ? [[now - ms, before[1]] as const] : []),
    ...all.filter(([at]) => at >= now - ms),
    [now, market.marketCapSOL] as const,
  ];
  const [begun = 0, first = 0] = points[0] ?? [];
  const change = first === 0 ? 0 : market.marketCapSOL / first - 1;
  const tone = change < 0 ? "bad" : change > 0 ? "good" : "soft";
  const isWhole = begun < now - ms + HOUR_MS && ms > HOUR_MS;
  return (
    <>
      <div class="worth">
        <div class="sum">
          <SolNumber value={market.marketCapSOL} />
        </div>
        <p class={`trend ${tone}`}>
          {change === 0 ? "No change" : percent(change)} {isWhole ? words : since(begun)}
        </p>
      </div>
      {points.length > 1 && (
        <TimePlot
          times={points.map(([time]) => time)}
          values={points.map(([, value]) => value)}
          label={`Market cap in SOL, ${percent(change)}`}
          named={marks}
          isClose
        />
      )}
    </>
  );
}

/** @returns for example `since 5 May, 14:30`; the time alone if that is less than a day ago */
function since(time: number): string {
  const day = { day: "numeric", month: "short" } as const;
  const text = new Date(time).toLocaleString("en", {
    ...(Date.now() - time < 24 * HOUR_MS ? {} : day),
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
  return `since ${text}`;
}

/** How far a token is on its bonding curve, and what happens at its end. */
export function CurveProgress(props: {
  readonly market: Market;
  readonly migratedAt: string | null;
}) {
  const { market, migratedAt } = props;
  return (
    <div class="curve">
      <CurveBar market={market} />
      <p class="soft">
        {market.isMigrated ? (
          <>
            Complete: at <SolNumber value={market.graduationSOL} /> the token moved to a liquidity
            pool
            {migratedAt !== null && (
              <>
                {" "}
                (<Time iso={migratedAt} />)
              </>
            )}
            , where it trades now.
          </>
        ) : (
          <>
            {share(market)} % of its curve: <SolNumber value={market.missingSOL} /> more, and the
            token graduates to a liquidity pool.
          </>
        )}
      </p>
    </div>
  );
}

/** Never 100 before it is complete. */
const share = (market: Market) => Math.floor(100 * progressOf(market) + 1e-9);

/** How far a token is on its curve, as a bar. */
export function CurveBar({ market }: { readonly market: Market }) {
  const text = market.isMigrated ? "Curve complete" : `${share(market)} % of the bonding curve`;
  return <progress class="curve-bar" value={progressOf(market)} max={1} aria-label={text} />;
}

/** Worth and progress of a token in a list. */
export function MarketLine({ market }: { readonly market: Market }) {
  return (
    <span class="market-line">
      <CurveBar market={market} />
      <SolNumber value={market.marketCapSOL} />
    </span>
  );
}
