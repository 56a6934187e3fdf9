import type { Market, PricePoint } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { progressOf, useMarket } from "../data/market.ts";
import { percent } from "../data/numbers.ts";
import { TimePlot } from "./charts.tsx";
import { Address, Clock, Day, SolNumber } from "./format.tsx";
import { Ready } from "./states.tsx";
import { Card, Empty, Switch } from "./ui.tsx";

const HOUR_MS = 3_600_000;
/** The service keeps prices for 30 days. */
const KEPT_MS = 720 * HOUR_MS;

const PERIODS = {
  "1 h": { read: "day", ms: HOUR_MS },
  "24 h": { read: "day", ms: 24 * HOUR_MS },
  "7 d": { read: "month", ms: 168 * HOUR_MS },
  "30 d": { read: "month", ms: KEPT_MS },
  All: { read: "month", ms: Number.POSITIVE_INFINITY },
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
              {...{ market, prices, marks, ms: PERIODS[period].ms }}
              launched={start && [Date.parse(launchedAt), start.priceSOL]}
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

function Worth(props: {
  readonly market: Market;
  readonly prices: readonly PricePoint[];
  readonly ms: number;
  readonly marks: readonly (readonly [at: number, name: string])[];
  /** The launch, whose price is the curve's first one. */
  readonly launched: readonly [at: number, priceSOL: number] | undefined;
}) {
  const { market, prices, ms, marks, launched } = props;
  const now = Date.now();
  // The supply is the same for all points: it can change only at migration.
  const supply = market.priceSOL === 0 ? 0 : market.marketCapSOL / market.priceSOL;
  const read = prices.map(({ at, priceSOL }) => [Date.parse(at), priceSOL] as const);
  const [begin = 0] = launched ?? [];
  const known = launched && begin > now - Math.min(ms, KEPT_MS) ? [launched, ...read] : read;
  // A price has the time at which its minute or hour begins, which may precede the launch.
  const all = known.map(([at, priceSOL]) => [Math.max(at, begin), priceSOL * supply] as const);
  // The last price before the period is the price at its start.
  const before = all.findLast(([at]) => at < now - ms);
  const points = [
    ...(before ? [[now - ms, before[1]] as const] : []),
    ...all.filter(([at]) => at >= now - ms),
    [now, market.marketCapSOL] as const,
  ];
  const [begun = 0, first = 0] = points[0] ?? [];
  const change = first === 0 ? 0 : market.marketCapSOL / first - 1;
  return (
    <>
      <div class="worth">
        <div class="sum">
          <SolNumber value={market.marketCapSOL} />
        </div>
        <p class={`trend ${toneOf(change)}`}>
          {change === 0 ? "No change" : percent(change)} since{" "}
          <Clock iso={new Date(begun).toISOString()} />
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
            {migratedAt !== null && " on "}
            {migratedAt !== null && <Day iso={migratedAt} />}, and trades in{" "}
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
