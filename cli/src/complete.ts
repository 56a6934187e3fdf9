import type { Command, Option } from "commander";
import { nextArgument, optionsOf, type Position, walk } from "./command-walk.ts";
import type { Candidate } from "./complete-from-server.ts";
import type { GlobalOptions } from "./settings.ts";
import { plain } from "./text.ts";
import type { World } from "./world.ts";

/** The line that asks the shell to complete file names. */
const FILES = ":files\n";

/** Options whose values are files. */
const FILE_OPTIONS: readonly string[] = ["--keypair", "--outfile", "--image"];

/**
 * Prints what the last word may become: a line each, the value and after a tab what it means. Prints
 * nothing if it knows none, and never fails: a shell shows no errors while it completes.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  { out, env }: Pick<World, "out" | "env">,
): Promise<void> {
  const { before, last, prefix } = splitWords(words);
  const position = walk(program, before);
  const option = optionToFill(position, prefix);
  if (option && FILE_OPTIONS.includes(option.long ?? "")) return out.write(FILES);
  const candidates = option
    ? await valuesOf(option, position, env)
    : last.startsWith("-")
      ? flagsOf(position.command)
      : await operandsOf(position, env);
  const lines = candidates
    .filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase()))
    .map(({ value, about }) => `${prefix}${value}\t${about}\n`);
  out.write(lines.join(""));
}

/**
 * Bash makes three words of `--status=fa`; other shells leave one. Both become the option and the
 * beginning of its value.
 */
function splitWords(words: readonly string[]): { before: string[]; last: string; prefix: string } {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  if (before.at(-1) === "=") return { before: before.slice(0, -1), last, prefix: "" };
  if (last === "=") return { before, last: "", prefix: "" };
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined) return { before, last, prefix: "" };
  return { before: [...before, flag], last: value ?? "", prefix: `${flag}=` };
}

function optionToFill({ command, option }: Position, prefix: string): Option | null {
  if (option) return option;
  const flag = prefix.slice(0, -1);
  return flag === "" ? null : (optionsOf(command).find(({ long }) => long === flag) ?? null);
}

function flagsOf(command: Command): Candidate[] {
  const flags = optionsOf(command)
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ value: long ?? "", about: description }));
  return [...flags, { value: "--help", about: "print help" }];
}

async function valuesOf(
  option: Option,
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  if (option.long === "--profile") return profiles(env);
  if (option.long === "--token") return fromServer("mint", position, env);
  return (option.argChoices ?? []).map((value) => ({ value, about: "" }));
}

async function operandsOf(position: Position, env: World["env"]): Promise<Candidate[]> {
  const { command, operands } = position;
  if (command.commands.length > 0) {
    if (operands.length > 0) return [];
    return command
      .createHelp()
      .visibleCommands(command)
      .map((one) => ({
        value: one.name(),
        about: one.description(),
      }));
  }
  const argument = nextArgument(position);
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, about: "" }));
  const name = argument.name();
  if (name === "profile") return profiles(env);
  if (name !== "mint" && name !== "launch") return [];
  return fromServer(name, position, env);
}

async function fromServer(
  name: "mint" | "launch",
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  const { askServer } = await import("./complete-from-server.ts");
  const found = await askServer(name, position.command.name(), globalOptions(position), env);
  return found.map(({ value, about }) => ({ value: plain(value), about: plain(about) }));
}

async function profiles(env: World["env"]): Promise<Candidate[]> {
  const { readConfigFile } = await import("./config-file.ts");
  try {
    const { profiles } = readConfigFile(env);
    return Object.entries(profiles).map(([value, settings]) => ({
      value,
      about: settings["api-url"] ?? "",
    }));
  } catch {
    return [];
  }
}

function globalOptions({ values }: Position): GlobalOptions {
  const of = (flag: string) => values.get(flag);
  const [apiUrl, keypair, profile] = [of("--api-url"), of("--keypair"), of("--profile")];
  return { ...(apiUrl && { apiUrl }), ...(keypair && { keypair }), ...(profile && { profile }) };
}
