import type { TProperties } from "@sinclair/typebox";
import { closest } from "@tokenctl/shared/closest";
import { Command as Commander, Option } from "commander";
import { exitCodeHelp, UsageError } from "../errors.ts";
import type { GlobalOptions } from "../settings.ts";
import { version } from "../version.ts";
import type { World } from "../world.ts";
import type { Command } from "./command.ts";
import { commands, groups } from "./commands.ts";
import { GLOBALS, ID } from "./common.ts";
import { flagsOf, operandOf } from "./field.ts";
import type { Given } from "./input.ts";

/** Runs a command with what was typed. Only this loads the command's code; `--help` does not. */
export type Run = (command: Command, given: Given, globals: GlobalOptions) => Promise<void>;

type Screen = Pick<World, "out" | "err">;

export function createProgram(screen: Screen & Pick<World, "env">, run: Run): CommandLine {
  const program = newProgram(screen);
  for (const command of commands) if (command.name !== undefined) add(program, command, run);
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("./complete.ts");
      complete(program, words, screen);
    });
  return program;
}

function add(program: CommandLine, command: Command, run: Run): void {
  const { operands = {}, fields, flags, help } = command;
  const [name = "", group] = (command.name ?? "").split(" ").reverse();
  const line = below(program, group).command(name).description(help) as CommandLine;
  for (const [field, schema] of Object.entries(operands)) {
    line.argument(operandOf(field, schema), schema.description);
  }
  const options = addOptions(line, { ...fields, ...flags });
  const words = Object.keys(operands).flatMap((field) => EXAMPLES[field] ?? []);
  const examples = command.examples ?? [["tokenctl", command.name, ...words].join(" ")];
  line.examples(...examples).action(async (...typed: unknown[]) => {
    const globals = line.optsWithGlobals();
    const given = [
      ...Object.keys(operands).map((field, place) => [field, typed[place]]),
      ...options.map(([field, option]) => [field, globals[option.attributeName()]]),
    ];
    await run(command, Object.fromEntries(given), globals);
  });
}

/** Returns the program itself, or its group of that name, which it creates if needed. */
function below(program: CommandLine, group: string | undefined): Commander {
  if (group === undefined) return program;
  const known = program.commands.find((one) => one.name() === group);
  return known ?? program.command(group).description(groups[group] ?? "");
}

function addOptions(line: Commander, fields: TProperties): (readonly [string, Option])[] {
  return Object.entries(fields).map(([field, schema]) => {
    const option = new Option(flagsOf(field, schema), schema.description);
    if (schema["x-not"] !== undefined) option.conflicts(schema["x-not"]);
    if (schema.type === "array") {
      option.argParser((text, before: readonly string[] = []) => [...before, text]);
    }
    line.addOption(option.default(schema.default));
    return [field, option];
  });
}

const EXAMPLES: Readonly<Record<string, string>> = { tokenMint: "MINE", id: ID };

function newProgram({ out, err }: Screen): CommandLine {
  const program = new CommandLine("tokenctl")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      // To read the terminal's width takes longer than the rest of `--help`.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      // Commander has no colours to remove.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .description("Launch tokens, watch their fees and claim them.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .configureHelp({
      showGlobalOptions: true,
      // The texts fit 80 columns and have only characters of one cell. Without wrapping, `--help`
      // is a tenth faster.
      minWidthToWrap: Number.POSITIVE_INFINITY,
      displayWidth: (text) => text.length,
      optionDescription: ({ description, defaultValue }) =>
        defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
    })
    .examples(
      "tokenctl keygen",
      'tokenctl launch --name "My Token" --ticker MINE',
      "tokenctl fees",
      "tokenctl claim --all",
    )
    .addHelpText(
      "after",
      `
Environment:
  TOKENCTL_API_URL  the server, unless --api-url is given
  TOKENCTL_KEYPAIR  the wallet, unless --keypair is given
  TOKENCTL_RPC_URL  the Solana node that is believed, unless --rpc-url is given
  NO_COLOR          turns colours off if set
  TOKENCTL_DEBUG    prints stack traces of errors if set

${exitCodeHelp}`,
    );
  addOptions(program, GLOBALS);
  return program;
}

/** Returns the root's `--help`, which the binary contains: see `bin.ts`. */
export function rootHelp(): string {
  const parts: string[] = [];
  const out = {
    write: (part: string) => parts.push(part) > 0,
    isTerminal: async () => false,
    columns: async () => null,
  };
  createProgram({ out, err: out, env: {} }, async () => {}).outputHelp();
  return parts.join("");
}

/** Words that other programs use for each command. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  launches: "ls list",
  health: "doctor ping",
};

/** Returns the command, at any level of the grammar, that an unknown word probably means. */
function commandLike(word: string): string | undefined {
  const names = commands.flatMap(({ name = "" }) => {
    const [first = "", second] = name.split(" ");
    return [[first, first] as const, ...(second ? [[second, name] as const] : [])];
  });
  // Names of commands override these words, and top-level commands override subcommands.
  const others = Object.entries(OTHER_WORDS).flatMap(([name, words]) =>
    words.split(" ").map((word) => [word, name] as const),
  );
  const known = new Map([...others, ...names.reverse()]);
  return known.get(word) ?? known.get(closest(word, [...known.keys()]) ?? "");
}

/** A command that throws usage errors with a hint to its `--help`. */
class CommandLine extends Commander {
  override createCommand(name?: string): Commander {
    return new CommandLine(name);
  }

  examples(...lines: readonly string[]): this {
    const text = lines.map((line) => `  $ ${line}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${text}`);
  }

  override error(message: string): never {
    const path: string[] = [];
    for (let at: Commander | null = this; at; at = at.parent) path.unshift(at.name());
    const [, unknown] = /^error: unknown command '(.+)'/.exec(message) ?? [];
    const meant = unknown && (this.parent ? undefined : commandLike(unknown));
    throw new UsageError(
      meant
        ? `unknown command '${unknown}'. Did you mean ${meant}?`
        : message.replace(/^error: /, "").replace(/\n\((.+)\)$/, ". $1"),
      `\`${path.join(" ")} --help\` shows how to use it`,
    );
  }
}
