import { createProgram } from "./program.ts";

createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    // What stops a start is for its operator to mend: the sentence helps, the stack does not.
    console.error(`tokend: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
