import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

interface Props {
  /** Seconds since the Unix epoch, ascending. */
  readonly times: readonly number[];
  /** SOL at each time. */
  readonly values: readonly number[];
  /** What it shows, for screen readers; the table beside it has the numbers. */
  readonly label: string;
}

const HEIGHT = 220;

/** A line over time, in the page's colours. */
export function Plot({ times, values, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null || times.length === 0) return;
    const style = getComputedStyle(element);
    const [ink, faint] = [style.getPropertyValue("--accent"), style.getPropertyValue("--line")];
    const text = style.getPropertyValue("--soft");
    const steps = uPlot.paths.stepped?.({ align: 1 });
    const axis = { stroke: text, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        series: [{}, { label: "SOL", stroke: ink, width: 2, ...(steps && { paths: steps }) }],
        // Growth is seen from nothing on.
        scales: { y: { range: (_, __, most) => [0, most * 1.05 || 1] } },
        axes: [axis, { ...axis, size: 70 }],
        cursor: { y: false },
        legend: { show: false },
      },
      [[...times], [...values]],
      element,
    );
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [times, values]);
  return <div ref={place} class="plot" role="img" aria-label={label} />;
}
