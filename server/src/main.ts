// This macro runs when the file is bundled, so that the binary prints `--help` without loading the
// grammar, which takes as long as the start of the process.
import { rootHelp } from "./root-help.ts" with { type: "macro" };

const args = process.argv.slice(2);

async function main(): Promise<void> {
  const only = args.length === 1 ? args[0] : undefined;
  if (only === "--help" || only === "-h") {
    await Bun.write(Bun.stdout, rootHelp());
    return;
  }
  // As the grammar has it, which takes longer to load than it takes until the port answers.
  if (args.length === 0 || only === "serve") return (await import("./commands/serve.ts")).serve();
  const { createProgram } = await import("./program.ts");
  await createProgram().parseAsync();
}

main().catch((error: unknown) => {
  // The operator can act on the sentence; a stack would not help.
  console.error(`tokend: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
