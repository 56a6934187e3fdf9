import { createProgram, refuseUnknownCommand } from "./program.ts";

const program = createProgram();
refuseUnknownCommand(program, process.argv.slice(2));
program.parseAsync().catch((error: unknown) => {
  // The operator can act on the sentence; a stack would not help.
  console.error(`tokend: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
