import { Command, type Option, type ParseOptionsResult } from "commander";
import { UsageError } from "./errors.ts";

/** A command that throws its usage errors, with a hint to its `--help`. */
export class CommandLine extends Command {
  #unknown: string | undefined;
  declare unknownOption: (flag: string) => never;

  override createCommand(name?: string): Command {
    return new CommandLine(name);
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
    const [noun, verb] = missing.length > 1 ? ["options", "are"] : ["option", "is"];
    this.error(`required ${noun} ${missing.join(" and ")} ${verb} missing`);
  }

  #path(): string {
    const names: string[] = [];
    for (let command: Command | null = this; command; command = command.parent) {
      names.unshift(command.name());
    }
    return names.join(" ");
  }
}
