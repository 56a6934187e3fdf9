import type { TSchema } from "@sinclair/typebox";
import type { Command as Commander, Option } from "commander";
import type { World } from "../world.ts";
import { typedFields } from "./command.ts";
import { commands } from "./commands.ts";
import { GLOBALS } from "./common.ts";
import { flagsOf } from "./field.ts";

/** What a command line means up to its last complete word. */
interface Position {
  readonly command: Commander;
  readonly option: Option | null;
  readonly operands: number;
}

/** Prints completions of the last word as lines of value, tab and meaning. */
export function complete(
  program: Commander,
  words: readonly string[],
  { out }: Pick<World, "out">,
): void {
  const last = words.at(-1) ?? "";
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  const typed = value ?? last;
  const position = walk(program, [...words.slice(0, -1), ...(flag ? [flag] : [])]);
  const schema = schemaAt(position);
  const isFile = schema["x-names"] === "file";
  const lines = candidates(position, schema, typed)
    .filter(([name]) => name.startsWith(typed))
    .map(([name, about]) => `${flag ? `${flag}=` : ""}${name}\t${about}\n`);
  out.write(isFile ? ":files\n" : lines.join(""));
}

function candidates(
  { command, option, operands }: Position,
  schema: Partial<TSchema>,
  typed: string,
): (readonly [value: string, about: string])[] {
  if (option === null && typed.startsWith("-")) {
    const flags = optionsOf(command).map((one) => [one.long ?? "", one.description] as const);
    return [...flags, ["--help", "print help"]];
  }
  if (option === null && command.commands.length > 0) {
    const visible = command.createHelp().visibleCommands(command);
    return operands > 0 ? [] : visible.map((one) => [one.name(), one.description()]);
  }
  const choices: readonly { const: string }[] = schema.anyOf ?? [];
  return choices.map(({ const: value }) => [value, ""]);
}

/** Returns the field of the next word, an option's or an operand's; an empty schema if none. */
function schemaAt({ command, option, operands }: Position): Partial<TSchema> {
  const path: string[] = [];
  for (let one = command; one.parent; one = one.parent) path.unshift(one.name());
  const declared = commands.find(({ name }) => name === path.join(" "));
  if (option === null) return Object.values(declared?.operands ?? {})[operands] ?? {};
  const fields = Object.entries({ ...(declared && typedFields(declared)), ...GLOBALS });
  return fields.find(([name, schema]) => flagsOf(name, schema) === option.flags)?.[1] ?? {};
}

export function walk(program: Commander, words: readonly string[]): Position {
  let command = program;
  let option: Option | null = null;
  let operands = 0;
  for (const word of words) {
    if (option) option = null;
    else if (word.startsWith("-") && word !== "-") {
      const flags = optionsOf(command);
      option = flags.find((one) => one.required && [one.long, one.short].includes(word)) ?? null;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      command = next ?? command;
      operands = next ? 0 : operands + 1;
    }
  }
  return { command, option, operands };
}

export function optionsOf(command: Commander): Option[] {
  const above = command.parent ? optionsOf(command.parent) : [];
  return [...command.options, ...above].filter(({ hidden }) => !hidden);
}
