import { Command, type Option, type OptionValues, type ParseOptionsResult } from "commander";
import type { Context, Result } from "./context.ts";
import { UsageError } from "./errors.ts";
import type { GlobalOptions } from "./settings.ts";

/** A command's code: it gets operands, then options, and returns null if it has printed its results itself. */
type Action = (context: Context, ...given: never[]) => Promise<Result | null>;

export type Run = (
  options: GlobalOptions,
  action: (context: Context) => Promise<Result | null>,
) => Promise<void>;

/** @returns adds a command whose code is the function of its name in what `load` imports */
export function commandsOf(parent: Command, run: Run) {
  return <Name extends string>(
    name: Name,
    help: string,
    load: () => Promise<Readonly<Record<Name, Action>>>,
  ): CommandLine => {
    const command = parent.command(name).description(help) as CommandLine;
    return command.action(async (...all: unknown[]) => {
      const given = all.slice(0, -1) as never[];
      command.refuse(...given);
      await run(command.optsWithGlobals(), async (context) => {
        const { [name]: action } = await load();
        return action(context, ...given);
      });
    });
  };
}

/** A command that throws usage errors with a hint to its `--help`. */
export class CommandLine extends Command {
  #unknown: string | undefined;
  #problem: (...given: OptionValues[]) => string | false | undefined = () => undefined;
  declare unknownOption: (flag: string) => never;

  override createCommand(name?: string): Command {
    return new CommandLine(name);
  }

  examples(...lines: string[]): this {
    const text = lines.map((line) => `  $ ${line}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${text}`);
  }

  /** @param problem says what is wrong with the combination of operands and options, if anything is */
  unless(problem: (...given: OptionValues[]) => string | false | undefined): this {
    this.#problem = problem;
    return this;
  }

  refuse(...given: OptionValues[]): void {
    const problem = this.#problem(...given);
    if (problem) this.error(problem);
  }

  override error(message: string): never {
    throw new UsageError(
      message
        .replace(/^error: /, "")
        .replace(
          /^command-argument value '(.*)' is invalid for argument '(.*?)'/s,
          "'$1' is not valid as <$2>",
        )
        .replace(/^option '(.*?)' argument '(.*)' is invalid/s, "'$2' is not valid for $1")
        .replace(/\n\((.+)\)$/, ". $1"),
      `\`${this.#path()} --help\` shows how to use it`,
    );
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    this.#unknown = parsed.unknown[0];
    return parsed;
  }

  /** Names all missing options. An unknown flag comes first: it may be one of them, misspelt. */
  missingMandatoryOptionValue(_first: Option): never {
    if (this.#unknown?.startsWith("-")) this.unknownOption(this.#unknown);
    const missing = this.options
      .filter((option) => option.mandatory && this.getOptionValue(option.attributeName()) == null)
      .map(({ flags }) => `'${flags}'`);
    this.error(requiredOptions(missing));
  }

  #path(): string {
    const parent = this.parent as CommandLine | null;
    return parent ? `${parent.#path()} ${this.name()}` : this.name();
  }
}

export function requiredOptions(missing: readonly string[]): string {
  const [noun, verb] = missing.length > 1 ? ["options", "are"] : ["option", "is"];
  return `required ${noun} ${missing.join(" and ")} ${verb} missing`;
}
