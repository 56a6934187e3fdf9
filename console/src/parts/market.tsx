import type { Market, PricePoint } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { changesOf, progressOf, useMarket } from "../data/market.ts";
import { percent } from "../data/numbers.ts";
import { TimePlot } from "./charts.tsx";
import { Address, Clock, Day, SolNumber } from "./format.tsx";
import { Ready } from "./states.tsx";
import { Card, Empty, Rows, Switch } from "./ui.tsx";

const HOUR_MS = 3_600_000;
const KEPT_MS = 720 * HOUR_MS;

/** The service keeps prices for 30 days. A token's first price is its curve's start price. */
const PERIODS = {
  "1 h": { read: "day", words: "in an hour", ms: HOUR_MS },
  "24 h": { read: "day", words: "in 24 hours", ms: 24 * HOUR_MS },
  "7 d": { read: "month", words: "in 7 days", ms: 168 * HOUR_MS },
  "30 d": { read: "month", words: "in 30 days", ms: KEPT_MS },
  All: { read: "month", words: "", ms: Number.POSITIVE_INFINITY },
} as const;
type Period = keyof typeof PERIODS;

export function useChart(mint: string) {
  const [period, setPeriod] = useState<Period>("24 h");
  return { read: useMarket(mint, PERIODS[period].read), period, setPeriod };
}

export function Chart(props: {
  readonly of: ReturnType<typeof useChart>;
  readonly launchedAt: string;
  /** Null if the token has not graduated, or if the time is unknown. */
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
      actions={<Switch label="Period" of={PERIODS} chosen={period} onChoose={setPeriod} />}
    >
      <Ready of={read} what="the market" lines={5}>
        {({ market, prices, curve: [start] }) =>
          market ? (
            <Worth
              {...{ market, period, marks }}
              prices={fromLaunch(prices, start?.priceSOL, launchedAt, period)}
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

/** Prepends the launch price, unless the token is older than the prices that the service keeps. */
function fromLaunch(
  prices: readonly PricePoint[],
  startSOL: number | undefined,
  launchedAt: string,
  period: Period,
): readonly PricePoint[] {
  const at = Date.parse(launchedAt);
  const { read, ms } = PERIODS[period];
  // A price has the time at which its minute or hour begins, which may precede the launch.
  const span = read === "day" ? 60_000 : HOUR_MS;
  const isFirst = !prices[0] || at < Date.parse(prices[0].at) + span;
  if (startSOL === undefined || !isFirst || at < Date.now() - Math.min(KEPT_MS, ms)) return prices;
  const later = prices.map((price) =>
    Date.parse(price.at) < at ? { ...price, at: launchedAt } : price,
  );
  return [{ at: launchedAt, priceSOL: startSOL }, ...later];
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
  // The supply is the same for all points: it can change only at migration.
  const supply = market.priceSOL === 0 ? 0 : market.marketCapSOL / market.priceSOL;
  const all = prices.map(({ at, priceSOL }) => [Date.parse(at), priceSOL * supply] as const);
  // The last price before the period is the price at its start.
  const before = all.findLast(([at]) => at < now - ms);
  const points = [
    ...(before ? [[now - ms, before[1]] as const] : []),
    ...all.filter(([at]) => at >= now - ms),
    [now, market.marketCapSOL] as const,
  ];
  const [begun = 0, first = 0] = points[0] ?? [];
  const change = first === 0 ? 0 : market.marketCapSOL / first - 1;
  const isWhole = begun < now - ms + HOUR_MS && ms > HOUR_MS;
  return (
    <>
      <div class="worth">
        <div class="sum">
          <SolNumber value={market.marketCapSOL} />
        </div>
        <p class={`trend ${toneOf(change)}`}>
          {change === 0 ? "No change" : percent(change)} {isWhole ? words : since(begun)}
        </p>
      </div>
      {points.length > 1 && (
        <TimePlot
          times={points.map(([time]) => time)}
          values={points.map(([, value]) => value)}
          label={`Market cap in SOL, ${percent(change)}`}
          named={marks}
        />
      )}
    </>
  );
}

export const toneOf = (change: number | null) => (!change ? "soft" : change < 0 ? "bad" : "good");

/** Returns a text such as `since 5 May, 14:30`; only the time if it is less than a day ago. */
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

/** Lists the net purchases and sales between the chart's prices, derived from the bonding curve. */
export function Changes({
  of,
  launchedAt,
}: Pick<Parameters<typeof Chart>[0], "of" | "launchedAt">) {
  const { data } = of.read;
  if (data === null) return null;
  const { read } = PERIODS[of.period];
  const { curve, prices } = data;
  const period = read === "day" ? "24 h" : "30 d";
  const changes = changesOf(curve, fromLaunch(prices, curve[0]?.priceSOL, launchedAt, period));
  if (changes.length === 0) return null;
  return (
    <Card title="Buys and sells">
      <p class="soft">
        What the curve took (+) and paid (−) in a{read === "day" ? " minute" : "n hour"}, all trades
        together, without fees.
      </p>
      <Rows
        rows={changes.map(({ at, sol }) => [
          <Clock iso={at} />,
          <span class={sol < 0 ? "bad" : "good"}>
            {sol < 0 ? "−" : "+"}
            <SolNumber value={Math.abs(sol)} />
          </span>,
        ])}
      />
    </Card>
  );
}

/** Shows a token's progress on its bonding curve, and what happens at the end. */
export function CurveProgress(props: {
  readonly market: Market;
  readonly migratedAt: string | null;
  /** The pool after graduation; null if it is unknown. */
  readonly liquidityPool: string | null;
}) {
  const { market, migratedAt, liquidityPool } = props;
  return (
    <div class="curve">
      <CurveBar market={market} />
      <p class="soft">
        {market.isMigrated ? (
          <>
            Complete: the token graduated at <SolNumber value={market.graduationSOL} />
            {migratedAt !== null && (
              <>
                {" "}
                on <Day iso={migratedAt} />
              </>
            )}
            , and trades in{" "}
            {liquidityPool === null ? (
              "a liquidity pool now."
            ) : (
              <>
                this pool: <Address value={liquidityPool} isLinked />
              </>
            )}
          </>
        ) : (
          <>
            {share(market)} % of its curve: <SolNumber value={market.missingSOL} /> more, and the
            token graduates to a liquidity pool.
          </>
        )}{" "}
        Traded on it so far: <SolNumber value={market.tradedSOL} />.
      </p>
    </div>
  );
}

/** Rounds down, so that it shows 100 only once the curve is complete. */
const share = (market: Market) => Math.floor(100 * progressOf(market) + 1e-9);

export function CurveBar({ market }: { market: Market }) {
  const text = market.isMigrated ? "Curve complete" : `${share(market)} % of the bonding curve`;
  return <progress value={progressOf(market)} max={1} aria-label={text} />;
}
