import { Command, type Option } from "commander";
import { UsageError } from "./errors.ts";

/** A command that throws its usage errors, with a hint to its `--help`. */
export class CommandLine extends Command {
  override createCommand(name?: string): Command {
    return new CommandLine(name);
  }

  override error(message: string): never {
    throw new UsageError(
      message.replace(/^error: /, "").replace(/\n\((.+)\)$/, ". $1"),
      `\`${this.#path()} --help\` shows how it is used`,
    );
  }

  /** Commander calls it for the first one; this names all of them together. */
  missingMandatoryOptionValue(_first: Option): never {
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
