import type { Context } from "./context.ts";
import type { ExitCode } from "./exit.ts";
import { exitCodes } from "./exit.ts";
import { createNotices } from "./notices.ts";
import { renderResult } from "./render-result.ts";
import { reportError } from "./report-error.ts";
import type { Result } from "./result.ts";
import type { GlobalOptions } from "./settings.ts";
import { readSettings } from "./settings.ts";
import { createStyle } from "./style.ts";
import { plain } from "./text.ts";
import type { World } from "./world.ts";

/**
 * Runs one command: its result goes to stdout, everything else to stderr. A command that has printed
 * its results one by one, or has served stdout itself, returns null.
 *
 * @returns the exit code
 */
export async function runCommand(
  options: GlobalOptions,
  action: (context: Context) => Promise<Result | null>,
  world: World,
): Promise<ExitCode> {
  const settings = readSettings(options, world.env);
  const notices = await createNotices(world, settings);
  const interruption = new AbortController();
  const removeListener = world.onInterrupt(() => {
    // Now and not when the command has ended, so that the cursor is back at once.
    notices.stop();
    interruption.abort();
  });
  try {
    const { env } = world;
    const { signal } = interruption;
    const style = createStyle(await world.out.isTerminal(), env);
    const width = await world.out.columns();
    const print = (printed: Result) => {
      notices.stop();
      world.out.write(renderResult(printed, settings.json, style, width));
    };
    const readSecret = (prompt: string, again?: string) => world.readSecret(prompt, signal, again);
    const ask = async (prompt: string) => {
      notices.stop();
      return world.ask(plain(prompt), signal);
    };
    const canAsk = !settings.json && (await world.canAsk());
    const asking = { readSecret, ask: canAsk ? ask : null };
    const result = await action({ settings, notices, print, signal, env, ...asking });
    notices.stop();
    if (result === null) return exitCodes.done;
    print(result);
    for (const line of result.next ?? []) notices.notice(line);
    return result.failure ? reportError(result.failure, settings.json, world) : exitCodes.done;
  } catch (error) {
    notices.stop();
    return reportError(error, settings.json, world, settings.apiUrl);
  } finally {
    removeListener();
  }
}
