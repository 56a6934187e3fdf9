import type { Ora } from "ora";
import { renderNotice, renderProgress, renderWarning } from "./render-message.ts";
import type { Settings } from "./settings.ts";
import { createStyle } from "./style.ts";
import type { World } from "./world.ts";

/** What goes to stderr while a command works. With `--json` it is one JSON object a line. */
export interface Notices {
  /** Tells what might be of interest. Only to a terminal, and not with `--quiet` or `--json`. */
  notice(text: string): void;
  /** Tells what should be mended, such as an exposed key: to files and pipes too, so logs have it. */
  warn(text: string): void;
  /** Says what is being done now, beside a spinner. Only to a terminal, like a notice. */
  progress(text: string): void;
  /** Takes the spinner away and gives the cursor back. Safe to call at any time. */
  stop(): void;
}

export async function createNotices(world: World, settings: Settings): Promise<Notices> {
  const isTerminal = await world.err.isTerminal();
  const style = createStyle(isTerminal, world.env);
  const isShown = isTerminal && !settings.quiet && !settings.json;
  // A terminal that cannot move its cursor would show every frame of a spinner on a new line.
  const canSpin = isShown && world.env.TERM !== "dumb";
  const { default: ora } = canSpin ? await import("ora") : { default: undefined };
  const isColored = !world.env.NO_COLOR;
  let spinner: Ora | undefined;

  const write = (lines: string) => {
    spinner?.clear();
    world.err.write(lines);
    spinner?.render();
  };
  const notice = (text: string) => {
    if (isShown) write(renderNotice(text, style));
  };
  return {
    notice,
    warn(text) {
      if (!settings.quiet) write(renderWarning(text, settings.json, style));
    },
    progress(text) {
      if (!ora) return notice(text);
      if (spinner) spinner.text = renderProgress(text);
      else {
        // Ora could swallow what is typed meanwhile, but would put the terminal into raw mode for
        // it, and leave it so if the process were killed.
        spinner = ora({ text: renderProgress(text), discardStdin: false, isEnabled: true });
        if (!isColored) spinner.color = false;
        spinner.start();
      }
    },
    stop() {
      spinner?.stop();
      spinner = undefined;
    },
  };
}
