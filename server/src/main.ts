import { rootHelp } from "./program.ts" with { type: "macro" };

/** `EX_CONFIG` of sysexits.h: a restart cannot help, so the unit does not restart it. */
const WRONG_SETTINGS = 78;

const args = process.argv.slice(2);
// Bun's fetch applies `HTTP_PROXY` to this machine too, which may run RPC nodes and signers.
const direct = [process.env.no_proxy ?? process.env.NO_PROXY, "localhost,127.0.0.1,::1"];
process.env.no_proxy = process.env.NO_PROXY = direct.filter(Boolean).join(",");

async function main(): Promise<void> {
  const only = args.length === 1 ? args[0] : undefined;
  // The server starts this process itself, for images (`modules/images/decoder.ts`).
  if (args[0] === "decode-images")
    return void (await import("./modules/images/decoder-process.ts"));
  // Repeats the grammar's default: loading the grammar takes longer than opening the port.
  if (args.length === 0 || only === "serve") return (await import("./commands/serve.ts")).serve();
  if (only === "--help" || only === "-h") return console.log(rootHelp());
  const { createProgram } = await import("./program.ts");
  const isServe = /^--(paused|new-database)$/.test(args[0] ?? "");
  await createProgram().parseAsync(isServe ? ["serve", ...args] : args, { from: "user" });
}

main().catch((error: unknown) => {
  const serves = args.length === 0 || args[0] === "serve";
  // The operator can act on the sentence; a stack would not help. Log readers expect JSON.
  const msg = describe(error);
  const line = { level: "fatal", time: new Date().toISOString(), msg };
  console.error(serves && !process.stderr.isTTY ? JSON.stringify(line) : `tokend: ${msg}`);
  process.exit(serves && Object(error).name === "ConfigError" ? WRONG_SETTINGS : 1);
});

/** Adds the answer of a launch signer, which only the operator may read, and what SQLite leaves out. */
function describe(error: unknown): string {
  const { message = String(error), cause, code } = Object(error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return `A database in DATA_DIR is damaged (${message}): restore a backup into an empty DATA_DIR (tokend restore <file>)`;
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code))
    return `DATA_DIR cannot be used (${message}): give its files to this user (chown -R), or run as its owner`;
  return Object(cause).name === "SignerError" ? `${message}: ${Object(cause).message}` : message;
}
