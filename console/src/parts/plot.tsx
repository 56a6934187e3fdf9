import { useEffect, useRef, useState } from "preact/hooks";
import { roundMarks, shortNumber } from "../data/numbers.ts";

interface Props {
  /** Milliseconds since the Unix epoch, ascending; at least two. */
  readonly times: readonly number[];
  /** SOL at each time. */
  readonly values: readonly number[];
  /** What it shows, for screen readers; the list beside it has the numbers. */
  readonly label: string;
  /** Whether the axis begins near the least value instead of at 0. */
  readonly isClose?: boolean;
}

const HEIGHT = 200;
const FOOT = 24;
const SIDE = 56;
const HOUR_MS = 3_600_000;

/** Values that change in steps, over time; its colours are the page's. */
export function Plot({ times, values, label, isClose = false }: Props) {
  const [place, width] = useWidth();
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const marks = roundMarks(Math.max(...values), isClose ? Math.min(...values) : 0);
  const [bottom, top] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const x = (time: number) => SIDE + ((time - first) / (last - first || 1)) * (width - SIDE - 8);
  const y = (value: number) => 8 + (1 - (value - bottom) / (top - bottom)) * (HEIGHT - FOOT - 8);
  const steps = values.map((value, index) => `H${x(times[index] ?? last)}V${y(value)}`).join("");
  const line = `M${x(first)} ${y(values[0] ?? 0)}${steps}`;
  // Marks that are less than a second apart would read the same.
  const most = Math.min(5, 1 + Math.floor((last - first) / 1_000));
  const count = Math.max(2, Math.min(most, Math.floor(width / 130)));
  const dates = Array.from({ length: count }, (_, n) => first + ((last - first) * n) / (count - 1));
  return (
    <div ref={place} class="plot">
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {marks.map((mark) => (
          <g key={mark}>
            <line x1={SIDE} x2={width} y1={y(mark)} y2={y(mark)} />
            <text x={SIDE - 8} y={y(mark) + 4} text-anchor="end">
              {shortNumber(mark)}
            </text>
          </g>
        ))}
        {dates.map((time, n) => (
          <text
            key={time}
            x={x(time)}
            y={HEIGHT - 4}
            text-anchor={n === 0 ? "start" : n === count - 1 ? "end" : "middle"}
          >
            {timeMark(time, last - first)}
          </text>
        ))}
        <path class="area" d={`${line}V${y(bottom)}H${x(first)}z`} />
        <path class="curve" d={line} />
      </svg>
    </div>
  );
}

/** @returns what to put a drawing into, and how wide that is in pixels */
export function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const resize = new ResizeObserver(() => setWidth(element.clientWidth));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  return [place, width] as const;
}

function timeMark(time: number, span: number): string {
  const date = new Date(time);
  if (span < 48 * HOUR_MS) {
    const second = span < HOUR_MS ? ({ second: "2-digit" } as const) : {};
    return date.toLocaleTimeString("en", {
      hour: "2-digit",
      minute: "2-digit",
      ...second,
      hour12: false,
    });
  }
  return date.toLocaleDateString("en", { day: "numeric", month: "short" });
}
