import type { TProperties } from "@sinclair/typebox";
import { ApiError } from "@tokenctl/sdk";
import { explainError } from "../explain-error.ts";
import { waitText } from "../format.ts";
import type { Command } from "../grammar/command.ts";
import { flagOf } from "../grammar/field.ts";
import { adviceAfter } from "../hints.ts";

export interface Tool {
  readonly command: Command;
  readonly tool: NonNullable<Command["tool"]>;
  readonly fields: TProperties;
}

const TELL = "Do not try again. Tell the person who runs this MCP server.";
const SEE_FEES = "The claim may have been paid: `tokenctl fees` will show what is left to claim.";

/** What a model does next if it differs from what a person does. */
const own: Readonly<Record<string, string>> = {
  connection_failed: "Try again in a minute; `tokenctl health` shows what is down",
  claim_unsettled: SEE_FEES,
  claim_unverified: SEE_FEES,
  claim_check_failed: TELL,
  launch_check_failed: TELL,
  receipt_mismatch: TELL,
  unexpected: TELL,
  aborted: "The cancelled call may have been carried out: read the state before you repeat it.",
};

export function explainToModel(error: unknown, tool: Tool, tools: readonly Tool[]) {
  const { code, error: message, hint: forPeople } = explainError(error);
  const hint = adviceAfter(tool.command, Object.hasOwn(own, code) ? own[code] : forPeople) ?? "";
  const advice = inTools(hint, tool.fields, tools);
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  const wait = seconds === null ? "" : waitText(seconds);
  const lines = [
    `Error: ${code === "unexpected" ? "Something unexpected went wrong" : message}`,
    `Code: ${code}`,
    ...(advice ? [advice] : []),
    ...(hint.includes(wait) ? [] : [`Try again ${wait}.`]),
  ];
  return { lines, code };
}

/** Names tools and arguments instead of commands and flags; only the owner can use other flags. */
export function inTools(advice: string, fields: TProperties, tools: readonly Tool[]): string {
  const names = Object.entries(fields).map(([name, schema]) => [flagOf(name, schema), name]);
  const flags = new Map(names as [string, string][]);
  const called = advice
    .replace(/`tokenctl ([^`]+)`/g, (typed, line: string) => {
      const { command, tool } =
        tools.find(({ command: { name } }) => name && `${line} `.startsWith(`${name} `)) ?? {};
      const values = line.slice(command?.name?.length).replace(/ --[a-z-]+/g, "");
      return tool ? tool.name + values.replace(" ", " with ") : typed;
    })
    .replace(/--[a-z-]+/g, (flag) => flags.get(flag) ?? flag);
  const isForOwner = /(^|[\s(])--[a-z]|TOKENCTL_/.test(called);
  return isForOwner ? `Only the person who runs this MCP server can do this: ${called}` : called;
}
