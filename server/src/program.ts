import { Command } from "commander";
import { VERSION } from "./version.ts";

/** The grammar of `tokend`; each command is loaded when it runs. */
export function createProgram(): Command {
  const program = new Command("tokend")
    .description("Token launch service for autonomous agents on Solana")
    .version(VERSION)
    .showHelpAfterError()
    .showSuggestionAfterError();

  program
    .command("serve", { isDefault: true })
    .description("run the service (the default); settings come from the environment")
    .action(async () => (await import("./commands/serve.ts")).serve());

  return program;
}
