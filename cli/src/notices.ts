import type { Ora } from "ora";
import type { Notices } from "./desk.ts";
import { elapsedText } from "./format.ts";
import { wrapped } from "./layout.ts";
import type { Settings } from "./settings.ts";
import { createStyle, plain, plainJson } from "./text.ts";
import type { World } from "./world.ts";

/** After this many milliseconds of silence, the spinner says so. */
const SILENT_MS = 3_000;
const TICK_MS = 1_000;

export async function createNotices(world: World, settings: Settings): Promise<Notices> {
  const isTerminal = await world.err.isTerminal();
  const style = createStyle(isTerminal, world.env);
  const isShown = isTerminal && !settings.quiet && !settings.json;
  // A terminal that cannot move its cursor would show every frame of a spinner on a new line.
  const columns = await world.err.columns();
  const canSpin = isShown && world.env.TERM !== "dumb" && columns !== null;
  let { default: ora } = canSpin ? await import("ora") : { default: undefined };
  const isColored = !world.env.NO_COLOR;
  let spinner: Ora | undefined;
  let ticker: ReturnType<typeof setInterval> | undefined;
  let repeat = () => {};

  const write = (lines: string) => {
    spinner?.clear();
    world.err.write(wrapped(lines, columns));
    spinner?.render();
  };
  const notice = (text: string) => {
    if (isShown) write(`${style.dim(plain(text))}\n`);
  };
  const show = (text: string) => {
    if (!ora) return notice(text);
    if (spinner) {
      spinner.text = plain(text);
      return;
    }
    // `discardStdin` would set raw mode, and a killed process would leave the terminal in it.
    spinner = ora({ text: plain(text), discardStdin: false, isEnabled: true });
    if (!isColored) spinner.color = false;
    process.stderr.on("resize", onResize);
    spinner.start();
  };
  // Ora divides by the width: at 0 it would clear lines without end.
  const onResize = () => {
    if (process.stderr.columns > 0) return;
    ora = undefined;
    stop();
    repeat();
  };
  const stop = () => {
    clearInterval(ticker);
    if (!spinner) return;
    process.stderr.off("resize", onResize);
    spinner.stop();
    spinner = undefined;
  };
  const progress = (text: string, since?: number) => {
    clearInterval(ticker);
    if (!isShown) return;
    repeat = () => progress(text, since);
    const begun = Date.now();
    const timed = () => {
      if (since !== undefined) return `${text} (${elapsedText(Date.now() - since)})`;
      const silent = Date.now() - begun;
      return silent < SILENT_MS ? text : `${text}: no answer for ${elapsedText(silent)}`;
    };
    // Without a spinner each text is a new line, so print only the first and the silence notice.
    show(ora ? timed() : text);
    if (ora) ticker = setInterval(() => show(timed()), TICK_MS);
    else if (since === undefined) ticker = setTimeout(() => show(timed()), SILENT_MS);
  };
  const warn = (text: string) => {
    if (settings.quiet) return;
    const line = `${style.yellow("warning:")} ${plain(text)}`;
    write(`${settings.json ? plainJson({ warning: text }) : line}\n`);
  };
  return { notice, warn, progress, stop };
}
