import type { Hour } from "@tokenctl/shared/operator-report";

const HEIGHT = 140;
/** How launches ended, from the bottom of a bar up. */
const PARTS = [
  ["success", "launched"],
  ["pending", "waiting"],
  ["failed", "without a token"],
] as const;

const countOf = (hour: Hour, part: (typeof PARTS)[number][0]) =>
  hour[part] + (part === "failed" ? hour.rate_limited : 0);

/** @returns for example `14:00` */
const clock = (at: number) =>
  new Date(at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });

/** Launches by the hour in which they were accepted: a bar for each, divided by how they ended. */
export function HourBars({ hours }: { readonly hours: readonly Hour[] }) {
  const totals = hours.map((hour) => PARTS.reduce((sum, [part]) => sum + countOf(hour, part), 0));
  const most = Math.max(...totals, 1);
  const all = totals.reduce((sum, total) => sum + total, 0);
  const busiest = hours[totals.indexOf(most)];
  const summary =
    all === 0
      ? "No launches in the last 24 hours"
      : `${all} launches in the last 24 hours, at most ${most} in an hour${busiest ? `, from ${clock(busiest.at)}` : ""}`;
  return (
    <div class="bars">
      <svg
        viewBox={`0 0 ${hours.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {hours.map((hour, index) => {
          let y = HEIGHT;
          return PARTS.map(([part]) => {
            const height = (countOf(hour, part) / most) * (HEIGHT - 2);
            y -= height;
            return (
              <rect key={part} class={part} x={index * 10 + 1} y={y} width={8} height={height} />
            );
          });
        })}
      </svg>
      <div class="marks" aria-hidden="true">
        {[0, 8, 16, 23].map((index) => (
          <span key={index}>{clock(hours[index]?.at ?? 0)}</span>
        ))}
      </div>
      <ul class="legend">
        {PARTS.map(([part, name]) => (
          <li key={part}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={part} width={10} height={10} rx={2} />
            </svg>
            {hours.reduce((sum, hour) => sum + countOf(hour, part), 0)} {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
