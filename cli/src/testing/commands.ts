import type { Command } from "commander";
import { createProgram } from "../grammar/program.ts";
import { processWorld } from "../world.ts";

/** A command of the grammar, and what its `--help` prints. */
export interface Documented {
  /** As typed, for example `config set`; empty for the program itself. */
  readonly name: string;
  readonly help: string;
  readonly isGroup: boolean;
}

/** Returns the program and all its commands, including those that `--help` hides. */
export function everyCommand(): Documented[] {
  return describe(
    createProgram(processWorld, async () => {}),
    "",
  );
}

function describe(command: Command, name: string): Documented[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const below = command.commands.flatMap((one) => describe(one, `${name} ${one.name()}`.trim()));
  return [{ name, help, isGroup: below.length > 0 }, ...below];
}
