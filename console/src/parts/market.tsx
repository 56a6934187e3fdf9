import type { CurveKnot, Market, MarketHistory } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import type { Loaded } from "../data/load.ts";
import { priceAt, progressOf, useMarket } from "../data/market.ts";
import { percent, roundMarks, shortNumber } from "../data/numbers.ts";
import { SolNumber } from "./format.tsx";
import { Plot, TimePlot } from "./plot.tsx";
import { Ready } from "./states.tsx";
import { Card, Empty, Skeleton, Stat } from "./ui.tsx";

type Period = "day" | "month";

const HOUR_MS = 3_600_000;

const PERIODS: Readonly<Record<Period, { name: string; words: string; ms: number }>> = {
  day: { name: "24 h", words: "in 24 hours", ms: 24 * HOUR_MS },
  month: { name: "30 d", words: "in 30 days", ms: 720 * HOUR_MS },
};

/** What a token is worth, its prices before, and where it is on its curve. */
export function TokenMarket({ mint }: { readonly mint: string }) {
  const [period, setPeriod] = useState<Period>("day");
  const read = useMarket(mint, period);
  return (
    <>
      <Card title="Market cap" actions={<Periods chosen={period} onChoose={setPeriod} />}>
        <Ready of={read} what="the market" lines={5}>
          {(data) =>
            data.market ? (
              <Worth market={data.market} prices={data.prices} period={period} />
            ) : (
              <Empty title="No price yet">
                <p>The service has not read the pool of this token yet.</p>
              </Empty>
            )
          }
        </Ready>
      </Card>
      <BondingCurve read={read} />
    </>
  );
}

function Periods(props: { readonly chosen: Period; readonly onChoose: (period: Period) => void }) {
  return (
    <fieldset class="switch" aria-label="Period">
      {(["day", "month"] as const).map((period) => (
        <button
          key={period}
          type="button"
          aria-pressed={period === props.chosen}
          onClick={() => props.onChoose(period)}
        >
          {PERIODS[period].name}
        </button>
      ))}
    </fieldset>
  );
}

function Worth(props: {
  readonly market: Market;
  readonly prices: MarketHistory["prices"];
  readonly period: Period;
}) {
  const { market, prices, period } = props;
  const { words, ms } = PERIODS[period];
  // The same for all: the supply changes only at migration, if at all.
  const supply = market.priceSOL === 0 ? 0 : market.marketCapSOL / market.priceSOL;
  const points = [
    ...prices.map(({ at, priceSOL }) => [Date.parse(at), priceSOL * supply] as const),
    [Date.now(), market.marketCapSOL] as const,
  ];
  const [begun = 0, first = 0] = points[0] ?? [];
  const change = first === 0 ? 0 : market.marketCapSOL / first - 1;
  const tone = change < 0 ? "bad" : change > 0 ? "good" : "soft";
  const isWhole = begun < Date.now() - ms + HOUR_MS;
  return (
    <>
      <div class="worth">
        <div>
          <div class="sum">
            <SolNumber value={market.marketCapSOL} />
          </div>
          {/* A single price of this period is its last: what it was before is not known. */}
          {(isWhole || prices.length > 1) && (
            <p class={`trend ${tone}`}>
              {change === 0 ? "No change" : percent(change)} {isWhole ? words : since(begun)}
            </p>
          )}
        </div>
        <Stat label="Price of a token">
          <SolNumber value={market.priceSOL} />
        </Stat>
      </div>
      {prices.length > 1 && (
        <TimePlot
          times={points.map(([time]) => time)}
          values={points.map(([, value]) => value)}
          label={`Market cap in SOL, ${percent(change)}`}
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

function BondingCurve({ read: { data, error } }: { readonly read: Loaded<MarketHistory> }) {
  if (data === null && error === null) {
    return (
      <Card title="Bonding curve">
        <Skeleton what="the bonding curve" lines={4} />
      </Card>
    );
  }
  if (!data?.market) return null;
  const { market, curve } = data;
  return (
    <Card title="Bonding curve" actions={<strong class="good">{share(market)} %</strong>}>
      {!market.isMigrated && curve.length > 1 && <Curve market={market} curve={curve} />}
      <CurveBar market={market} />
      <p class="soft">
        {market.isMigrated ? (
          <>
            Complete: at <SolNumber value={market.graduationSOL} /> the token moved to a liquidity
            pool, where it trades now.
          </>
        ) : (
          <>
            <SolNumber value={market.missingSOL} /> more, and the token graduates to a liquidity
            pool.
          </>
        )}
      </p>
    </Card>
  );
}

/** Never 100 before it is complete. */
const share = (market: Market) => Math.floor(100 * progressOf(market) + 1e-9);

/** How far a token is on its curve, as a bar. */
function CurveBar({ market }: { readonly market: Market }) {
  const text = market.isMigrated ? "Curve complete" : `${share(market)} % of the bonding curve`;
  return <progress class="curve-bar" value={progressOf(market)} max={1} aria-label={text} />;
}

const STEPS = 60;

/** The whole curve: what it has raised, and what is to come. */
function Curve({
  market,
  curve,
}: {
  readonly market: Market;
  readonly curve: readonly CurveKnot[];
}) {
  const end = curve.at(-1)?.raisedSOL ?? 1;
  const supply = market.priceSOL === 0 ? 0 : market.marketCapSOL / market.priceSOL;
  const worthAt = (raised: number) => priceAt(curve, raised) * supply;
  const top = worthAt(end) * 1.05 || 1;
  const here = Math.min(market.raisedSOL, end);
  const feet = roundMarks(end * 0.6).filter((mark) => mark < end * 0.8);
  return (
    <Plot
      label={`Bonding curve: ${shortNumber(here)} of ${shortNumber(end)} SOL raised`}
      across={[0, end]}
      up={[0, top]}
      marks={roundMarks(top).filter((mark) => mark <= top)}
      feet={() => [
        ...feet.map((mark) => [mark, shortNumber(mark)] as const),
        [end, `${shortNumber(end)} SOL`],
      ]}
    >
      {(x, y) => {
        const line = (from: number, to: number) =>
          Array.from({ length: STEPS + 1 }, (_, n) => {
            const raised = from + ((to - from) * n) / STEPS;
            return `${x(raised).toFixed(1)} ${y(worthAt(raised)).toFixed(1)}`;
          }).join("L");
        const done = line(0, here);
        return (
          <>
            <path class="area" d={`M${x(0)} ${y(0)}L${done}V${y(0)}z`} />
            <path class="curve ahead" d={`M${line(here, end)}`} />
            <path class="curve" d={`M${done}`} />
            <line class="end" x1={x(end)} x2={x(end)} y1={y(worthAt(end))} y2={y(0)} />
            <circle cx={x(here)} cy={y(worthAt(here))} r={6} />
          </>
        );
      }}
    </Plot>
  );
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
