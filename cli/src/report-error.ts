import { inspect } from "node:util";
import { type ExitCode, exitCodes } from "./errors.ts";
import { type Explanation, explainError, NO_TOKEND } from "./explain-error.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { adviceAfter } from "./hints.ts";
import { proxyBefore } from "./proxy.ts";
import { renderError, renderStack } from "./render.ts";
import { createStyle } from "./style.ts";
import { wrapped } from "./text.ts";
import type { World } from "./world.ts";

/** Names the proxy in the explanation if a server behind a proxy does not answer. */
function throughProxy(explained: Explanation, found: ReturnType<typeof proxyBefore>): Explanation {
  const { code, error, exitCode, hint } = explained;
  const isAway = code === "connection_failed" || exitCode === exitCodes.unavailable;
  if (found === null || !(isAway || hint === NO_TOKEND)) return explained;
  const { proxy, name } = found;
  const advice = `Check that the proxy runs and serves this address, or list its host in NO_PROXY`;
  return { ...explained, error: `${error}, through the proxy ${proxy} of ${name}`, hint: advice };
}

/** Prints an error on stderr, and returns the exit code. */
export async function reportError(
  error: unknown,
  json: boolean,
  world: World,
  { apiUrl, command }: { apiUrl?: string | undefined; command?: Command } = {},
): Promise<ExitCode> {
  const explained = throughProxy(explainError(error, apiUrl), proxyBefore(apiUrl ?? "", world.env));
  const explanation = command
    ? { ...explained, hint: adviceAfter(command, explained.hint) }
    : explained;
  const style = createStyle(await world.err.isTerminal(), world.env);
  const fields = command ? typedFields(command) : {};
  const text = renderError(explanation, { json, style, fields });
  world.err.write(json ? text : wrapped(text, await world.err.columns()));
  if (world.env.TOKENCTL_DEBUG) world.err.write(renderStack(inspect(error)));
  return explanation.exitCode;
}
