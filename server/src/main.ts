// These macros run when the file is bundled: a binary has no README, and prints `--help` without loading
// the grammar, which takes as long as the start of the process.
import { settingsHelp } from "./config/describe-settings.ts" with { type: "macro" };
import { rootHelp } from "./root-help.ts" with { type: "macro" };

/** `EX_CONFIG` of sysexits.h: no later start goes better, so the unit starts it no more. */
const WRONG_SETTINGS = 78;

const args = process.argv.slice(2);
// Bun's fetch takes `HTTP_PROXY` for this machine too, where RPC nodes, signers and servers may be.
const direct = [process.env.no_proxy ?? process.env.NO_PROXY, "localhost,127.0.0.1,::1"];
process.env.no_proxy = process.env.NO_PROXY = direct.filter(Boolean).join(",");

async function main(): Promise<void> {
  const only = args.length === 1 ? args[0] : undefined;
  if (only === "--help" || only === "-h") {
    await Bun.write(Bun.stdout, rootHelp());
    return;
  }
  // The server starts this process for images itself; users do not type it (`modules/images/decoder.ts`).
  if (args[0] === "decode-images")
    return void (await import("./modules/images/decoder-process.ts"));
  // As the grammar has it, which takes longer to load than it takes until the port answers.
  if (args.length === 0 || only === "serve") return (await import("./commands/serve.ts")).serve();
  const { createProgram, refuseUnknownCommand } = await import("./program.ts");
  const program = createProgram(settingsHelp());
  refuseUnknownCommand(program, args);
  await program.parseAsync();
}

main().catch((error: unknown) => {
  const serves = args.length === 0 || args[0] === "serve";
  // The operator can act on the sentence; a stack would not help. What reads the log reads JSON.
  const msg = describe(error);
  const line = { level: "fatal", time: new Date().toISOString(), msg };
  console.error(serves && !process.stderr.isTTY ? JSON.stringify(line) : `tokend: ${msg}`);
  const isWrong = error instanceof Error && error.name === "ConfigError";
  process.exit(serves && isWrong ? WRONG_SETTINGS : 1);
});

/** What a launch signer answers is for the operator, who reads it here. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.name === "SignerError"
    ? `${message}: ${cause.message}`
    : message;
}
