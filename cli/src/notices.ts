import type { Ora } from "ora";
import { renderNotice, renderProgress, renderWarning } from "./render-message.ts";
import type { Settings } from "./settings.ts";
import { createStyle } from "./style.ts";
import type { World } from "./world.ts";

/** Writes to stderr while a command works. With `--json` each line is a JSON object. */
export interface Notices {
  /** Prints something of interest. Only on a terminal, and not with `--quiet` or `--json`. */
  notice(text: string): void;
  /** Prints what should be corrected, such as an exposed key: to files and pipes too, for logs. */
  warn(text: string): void;
  /** Shows what the command does now, beside a spinner. Only on a terminal, like a notice. */
  progress(text: string): void;
  /** Removes the spinner and shows the cursor again. Safe to call at any time. */
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
        // With `discardStdin` Ora puts the terminal into raw mode, where a killed process leaves it.
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
