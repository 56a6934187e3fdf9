import { inspect } from "node:util";
import type { ExitCode } from "./errors.ts";
import { explainError } from "./explain-error.ts";
import { renderError, renderStack } from "./render.ts";
import { createStyle } from "./style.ts";
import type { World } from "./world.ts";

/** Prints an error on stderr. @param apiUrl the configured address, if any @returns the exit code */
export async function reportError(
  error: unknown,
  json: boolean,
  world: World,
  apiUrl?: string,
): Promise<ExitCode> {
  const explanation = explainError(error, apiUrl);
  const style = createStyle(await world.err.isTerminal(), world.env);
  world.err.write(renderError(explanation, json, style));
  if (world.env.TOKENCTL_DEBUG) world.err.write(renderStack(inspect(error)));
  return explanation.exitCode;
}
