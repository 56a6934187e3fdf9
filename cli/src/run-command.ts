import type { Context, Result } from "./context.ts";
import { type ExitCode, exitCodes } from "./errors.ts";
import { createNotices } from "./notices.ts";
import { renderResult } from "./render.ts";
import { reportError } from "./report-error.ts";
import { type GlobalOptions, readSettings } from "./settings.ts";
import { createStyle } from "./style.ts";
import { plain } from "./text.ts";
import type { World } from "./world.ts";

/** Runs a command: its result goes to stdout, everything else to stderr. */
export async function runCommand(
  options: GlobalOptions,
  action: (context: Context) => Promise<Result | null>,
  world: World,
): Promise<ExitCode> {
  const { env, out } = world;
  const settings = readSettings(options, env);
  const { json } = settings;
  const notices = await createNotices(world, settings);
  const interruption = new AbortController();
  const { signal } = interruption;
  const removeListener = world.onInterrupt(() => {
    // Now, so that the cursor is visible at once.
    notices.stop();
    interruption.abort();
  });
  try {
    const style = createStyle(await out.isTerminal(), env);
    const look = { json, style, width: await out.columns() };
    const print = (result: Result, isOneOfMany: boolean) => {
      notices.stop();
      out.write(renderResult(result, look, isOneOfMany));
    };
    const ask = async (prompt: string) => {
      notices.stop();
      return world.ask(plain(prompt), signal);
    };
    const canAsk = !json && (await world.canAsk());
    const result = await action({
      settings,
      options,
      notices,
      print: (printed) => print(printed, true),
      signal,
      env,
      readSecret: (prompt, again) => world.readSecret(prompt, signal, again),
      ask: canAsk ? ask : null,
    });
    notices.stop();
    if (result === null) return signal.aborted ? exitCodes.interrupted : exitCodes.done;
    print(result, false);
    for (const line of result.next ?? []) notices.notice(line);
    return result.failure ? reportError(result.failure, json, world) : exitCodes.done;
  } catch (error) {
    notices.stop();
    return reportError(error, json, world, settings.apiUrl);
  } finally {
    removeListener();
  }
}
