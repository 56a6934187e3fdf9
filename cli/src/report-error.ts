import { inspect } from "node:util";
import type { TProperties } from "@sinclair/typebox";
import { type ExitCode, exitCodes } from "./errors.ts";
import { type Explanation, explainError, NO_TOKEND, serverFaults } from "./explain-error.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { flagOf } from "./grammar/field.ts";
import { adviceAfter } from "./hints.ts";
import { wrapped } from "./layout.ts";
import { proxyBefore } from "./proxy.ts";
import { createStyle, plain, plainJson, plainStrings, type Style } from "./text.ts";
import type { World } from "./world.ts";

/** Errors that the server's operator has to see, so their request id is shown. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** Prints an error on stderr, and returns the exit code. */
export async function reportError(
  error: unknown,
  json: boolean,
  { env, err }: World,
  { apiUrl, command }: { apiUrl?: string | undefined; command?: Command } = {},
): Promise<ExitCode> {
  const explained = throughProxy(explainError(error), proxyBefore(apiUrl ?? "", env));
  const hint = command ? adviceAfter(command, explained.hint) : explained.hint;
  const told = { ...explained, hint };
  if (json) err.write(`${plainJson(told)}\n`);
  else {
    const style = createStyle(await err.isTerminal(), env);
    const lines = linesOf(plainStrings(told), style, command ? typedFields(command) : {});
    err.write(wrapped(`${lines.join("\n")}\n`, await err.columns()));
  }
  if (env.TOKENCTL_DEBUG) err.write(`${inspect(error).split("\n").map(plain).join("\n")}\n`);
  return told.exitCode;
}

/** @param fields the command's, to name its flags */
function linesOf(told: Explanation, style: Style, fields: TProperties): string[] {
  const { code, error, hint, details = [], requestId } = told;
  const nameOf = (field: string) => {
    if (field.startsWith("receivers/")) return "--to";
    const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return schema ? flagOf(field, schema) : field;
  };
  return [
    `${style.red("error:")} ${error}`,
    ...details.map(({ field, message }) => `  ${nameOf(field)} ${message}`),
    ...(hint === undefined ? [] : [`${style.bold("hint:")} ${hint}`]),
    ...(FAULTS.includes(code) && requestId !== undefined ? [`request id: ${requestId}`] : []),
  ];
}

/** Names the proxy in the explanation if a server behind a proxy does not answer. */
function throughProxy(explained: Explanation, found: ReturnType<typeof proxyBefore>): Explanation {
  const { code, error, exitCode, hint } = explained;
  const isAway = code === "connection_failed" || exitCode === exitCodes.unavailable;
  if (found === null || !(isAway || hint === NO_TOKEND)) return explained;
  const { proxy, name } = found;
  const advice = "Check that the proxy runs and serves this address, or list its host in NO_PROXY";
  return { ...explained, error: `${error}, through the proxy ${proxy} of ${name}`, hint: advice };
}
