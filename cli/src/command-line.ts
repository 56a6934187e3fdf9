import { Command, type Option, type OptionValues, type ParseOptionsResult } from "commander";
import type { Context, Result } from "./context.ts";
import { UsageError } from "./errors.ts";
import type { GlobalOptions } from "./settings.ts";

/**
 * What a command does.
 *
 * @param given its operands, then its own options
 * @returns null if it has printed its results itself
 */
type Action = (context: Context, ...given: never[]) => Promise<Result | null>;

/** Runs a command: prepares its context, prints its result, and keeps its exit code. */
export type Run = (
  options: GlobalOptions,
  action: (context: Context) => Promise<Result | null>,
) => Promise<void>;

/**
 * @param parent of the commands
 * @returns adds a command whose code is the function of its name in the module that `load` imports: when
 * the command runs, and not for its `--help`
 */
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

/** A command that throws its usage errors, with a hint to its `--help`. */
export class CommandLine extends Command {
  #unknown: string | undefined;
  #problem: (...given: OptionValues[]) => string | false | undefined = () => undefined;
  declare unknownOption: (flag: string) => never;

  override createCommand(name?: string): Command {
    return new CommandLine(name);
  }

  /** Adds examples to the help, as they are typed. */
  examples(...lines: string[]): this {
    return this.addHelpText(
      "after",
      `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`,
    );
  }

  /** @param problem returns what is wrong with the operands and the options together, if anything is */
  unless(problem: (...given: OptionValues[]) => string | false | undefined): this {
    this.#problem = problem;
    return this;
  }

  /** @throws {UsageError} if operands and options do not fit together */
  refuse(...given: OptionValues[]): void {
    const problem = this.#problem(...given);
    if (problem) this.error(problem);
  }

  override error(message: string): never {
    throw new UsageError(
      message.replace(/^error: /, "").replace(/\n\((.+)\)$/, ". $1"),
      `\`${this.#path()} --help\` shows how it is used`,
    );
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    this.#unknown = parsed.unknown[0];
    return parsed;
  }

  /**
   * Commander calls it for the first one; this names all of them together. A flag that does not exist
   * comes first: it may be one of them, misspelled.
   */
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

/** @returns what is said about required options that are missing */
export function requiredOptions(missing: readonly string[]): string {
  const [noun, verb] = missing.length > 1 ? ["options", "are"] : ["option", "is"];
  return `required ${noun} ${missing.join(" and ")} ${verb} missing`;
}
