import type { ComponentChildren } from "preact";

const HEIGHT = 140;

export interface Bar {
  /** The time span, for people. */
  readonly name: string;
  /** One value for each part. */
  readonly values: readonly number[];
}

const totalOf = ({ values }: Bar) => values.reduce((sum, value) => sum + value, 0);

/** Shows amounts over time: a bar for each span, divided into parts. */
export function Bars(props: {
  readonly bars: readonly Bar[];
  /** From the bottom up: each part's colour class and its text in the legend. */
  readonly parts: readonly (readonly [tone: string, name: ComponentChildren])[];
  /** What the chart shows, for screen readers. */
  readonly label: string;
  /** Returns a bar's text on hover. */
  readonly textOf: (total: number) => string;
}) {
  const { bars, parts, label, textOf } = props;
  const most = Math.max(...bars.map(totalOf)) || 1;
  const box = `0 0 ${bars.length * 10} ${HEIGHT}`;
  const marks = [0, 1, 2, 3].map((n) => Math.round(((bars.length - 1) * n) / 3));
  return (
    <div class="bars">
      <svg viewBox={box} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map((bar, index) => {
          let y = HEIGHT;
          return (
            <g key={index}>
              <title>
                {bar.name}: {textOf(totalOf(bar))}
              </title>
              {/* Makes the whole height react to the pointer. */}
              <rect class="ground" x={index * 10} width={10} height={HEIGHT} />
              {parts.map(([tone], part) => {
                const height = ((bar.values[part] ?? 0) / most) * (HEIGHT - 2);
                y -= height;
                const place = { x: index * 10 + 1, y, width: 8, height };
                return <rect key={tone} class={tone} {...place} />;
              })}
            </g>
          );
        })}
      </svg>
      <div class="marks" aria-hidden="true">
        {[...new Set(marks)].map((index) => (
          <span key={index}>{bars[index]?.name}</span>
        ))}
      </div>
      <ul class="legend">
        {parts.map(([tone, name]) => (
          <li key={tone}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={tone} width={10} height={10} rx={2} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
