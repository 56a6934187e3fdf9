import { shortNumber } from "@tokenctl/shared/page-facts";
import { useEffect, useRef, useState } from "preact/hooks";
import { axisNumber, roundMarks } from "../data/numbers.ts";

const [HEAD, FOOT, SIDE, END, HEIGHT] = [16, 24, 56, 12, 200] as const;

export function TimePlot(props: {
  readonly label: string;
  /** Milliseconds since the Unix epoch, ascending; at least two. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly named: readonly (readonly [at: number, name: string])[];
}) {
  const { label, times, values, named } = props;
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [seen, setSeen] = useState<number | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const resize = new ResizeObserver(() => setWidth(element.clientWidth));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const marks = roundMarks(Math.max(...values), Math.min(...values));
  const [bottom = 0, top = 1] = [marks[0], marks.at(-1)];
  const drawn = width - SIDE - END;
  const x = (time: number) => SIDE + ((time - first) / (last - first || 1)) * drawn;
  const y = (value: number) =>
    HEAD + (1 - (value - bottom) / (top - bottom || 1)) * (HEIGHT - FOOT - HEAD);
  const count = Math.max(2, Math.min(5, Math.floor(width / 130)));
  const dates = Array.from({ length: count }, (_, n) => first + ((last - first) * n) / (count - 1));
  const shown = dates.map((time) => [time, timeMark(new Date(time), last - first)] as const);
  const point = ({ offsetX }: PointerEvent) => {
    const part = Math.min(1, Math.max(0, (offsetX - SIDE) / drawn));
    setSeen(first + part * (last - first));
  };
  const value = values.findLast((_, n) => (times[n] ?? 0) <= (seen ?? last)) ?? 0;
  const isLate = (time: number) => time > (first + last) / 2;
  const steps = values.map((value, index) => `H${x(times[index] ?? last)}V${y(value)}`);
  const line = `M${x(first)} ${y(values[0] ?? 0)}${steps.join("")}`;
  return (
    <div ref={place} class="plot">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={label}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setSeen(null)}
      >
        {marks.map((mark) => (
          <g key={mark}>
            <line x1={SIDE} x2={width} y1={y(mark)} y2={y(mark)} />
            <text x={SIDE - 8} y={y(mark) + 4} text-anchor="end">
              {axisNumber(mark)}
            </text>
          </g>
        ))}
        {shown.map(([at, text], n) => (
          <text
            key={at}
            x={x(at)}
            y={HEIGHT - 4}
            text-anchor={n === 0 ? "start" : n === shown.length - 1 ? "end" : "middle"}
          >
            {text}
          </text>
        ))}
        <path class="area" d={`${line}V${y(bottom)}H${x(first)}z`} />
        <path class="curve" d={line} />
        {named
          .filter(([at]) => at >= first && at <= last)
          .map(([at, name], n) => (
            <g key={name}>
              <line class="end" x1={x(at)} x2={x(at)} y1={HEAD} y2={y(bottom)} />
              <text x={x(at)} y={HEAD - 3 + 14 * n} text-anchor={isLate(at) ? "end" : "start"}>
                {name}
              </text>
            </g>
          ))}
        {seen !== null && (
          <g class="cross">
            <line x1={x(seen)} x2={x(seen)} y1={HEAD} y2={y(bottom)} />
            <circle cx={x(seen)} cy={y(value)} r={5} />
            <text
              x={x(seen) + (isLate(seen) ? -8 : 8)}
              y={HEAD + 12}
              text-anchor={isLate(seen) ? "end" : "start"}
            >
              {shortNumber(value)} SOL, {new Date(seen).toLocaleString("en", WHEN)}
            </text>
          </g>
        )}
      </svg>
    </div>
  );
}

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const WHEN = { day: "numeric", month: "short", ...TIME } as const;

const HOUR_MS = 3_600_000;

function timeMark(date: Date, span: number): string {
  if (span >= 48 * HOUR_MS)
    return date.toLocaleDateString("en", { day: "numeric", month: "short" });
  // Without the weekday, the same time of two days would have equal labels.
  const rest = span < HOUR_MS ? ({ second: "2-digit" } as const) : ({ weekday: "short" } as const);
  return date.toLocaleString("en", { ...TIME, ...rest });
}

const BARS_HEIGHT = 140;

export function Bars(props: {
  /** Each with the name of its span, for people. */
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  readonly label: string;
}) {
  const { bars, label } = props;
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  const box = `0 0 ${bars.length * 10} ${BARS_HEIGHT}`;
  const marks = [0, 1, 2, 3].map((n) => Math.round(((bars.length - 1) * n) / 3));
  return (
    <div class="bars">
      <svg viewBox={box} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map(({ name, value }, index) => {
          const height = (value / most) * (BARS_HEIGHT - 2);
          return (
            <g key={index}>
              <title>
                {name}: {shortNumber(value)} SOL
              </title>
              {/* Makes the whole height react to the pointer. */}
              <rect class="ground" x={index * 10} width={10} height={BARS_HEIGHT} />
              <rect
                class="bar"
                {...{ x: index * 10 + 1, y: BARS_HEIGHT - height, width: 8, height }}
              />
            </g>
          );
        })}
      </svg>
      <div class="marks" aria-hidden="true">
        {marks.map((index) => (
          <span key={index}>{bars[index]?.name}</span>
        ))}
      </div>
    </div>
  );
}
