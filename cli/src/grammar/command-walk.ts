import type { Command, Option } from "commander";

/** What a command line means up to its last complete word. */
export interface Position {
  readonly command: Command;
  readonly option: Option | null;
  readonly operands: readonly string[];
  /** The first word that should name a command but does not. */
  readonly unknown: string | null;
  readonly values: ReadonlyMap<string, string>;
}

export function walk(program: Command, words: readonly string[]): Position {
  let command = program;
  let option: Option | null = null;
  let unknown: string | null = null;
  let onlyOperands = false;
  const operands: string[] = [];
  const values = new Map<string, string>();
  for (const word of words) {
    if (option) {
      values.set(option.long ?? "", word);
      option = null;
    } else if (word === "--" && !onlyOperands) {
      onlyOperands = true;
    } else if (!onlyOperands && word.startsWith("-") && word !== "-") {
      const [flag = "", ...value] = word.split("=");
      const found = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (found && (found.required || found.optional)) {
        if (value.length > 0) values.set(found.long ?? "", value.join("="));
        else if (found.required) option = found;
      }
    } else {
      const isGroup = command.commands.length > 0 && operands.length === 0;
      const next = isGroup ? command.commands.find((one) => one.name() === word) : undefined;
      // `help config` means the same command as `config`.
      if (isGroup && !next && word === "help") continue;
      if (next) command = next;
      else if (isGroup) unknown ??= word;
      if (!next) operands.push(word);
    }
  }
  return { command, option, operands, unknown, values };
}

export function optionsOf(command: Command): Option[] {
  const all: Option[] = [];
  for (let at: Command | null = command; at; at = at.parent) all.push(...at.options);
  return all;
}
