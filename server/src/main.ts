import { createProgram } from "./program.ts";

createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    // The operator can act on the sentence; a stack would not help.
    console.error(`tokend: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
