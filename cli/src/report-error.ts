import { inspect } from "node:util";
import type { ExitCode } from "./errors.ts";
import { explainError } from "./explain-error.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { renderError, renderStack } from "./render.ts";
import { createStyle } from "./style.ts";
import type { World } from "./world.ts";

interface About {
  /** The configured address, if any. */
  readonly apiUrl?: string | undefined;
  /** The command that failed. */
  readonly command?: Command;
}

/** Prints an error on stderr. @returns the exit code */
export async function reportError(
  error: unknown,
  json: boolean,
  world: World,
  { apiUrl, command }: About = {},
): Promise<ExitCode> {
  const explanation = explainError(error, apiUrl);
  const style = createStyle(await world.err.isTerminal(), world.env);
  const fields = command ? typedFields(command) : {};
  world.err.write(renderError(explanation, { json, style, fields }));
  if (world.env.TOKENCTL_DEBUG) world.err.write(renderStack(inspect(error)));
  return explanation.exitCode;
}
