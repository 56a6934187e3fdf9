import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CliError } from "./errors.ts";

export async function readSecret(
  prompt: string,
  signal: AbortSignal,
  again?: string,
): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trimEnd();
  const answer = await askHidden(prompt, signal);
  if (again === undefined || (await askHidden(again, signal)) === answer) return answer;
  throw new CliError("secrets_differ", "The two entries differ", {
    hint: "Run the command again; nothing was written",
  });
}

export function ask(prompt: string, signal: AbortSignal): Promise<string> {
  return askOn(process.stderr, prompt, signal);
}

async function askHidden(prompt: string, signal: AbortSignal): Promise<string> {
  // This output shows nothing, so readline edits the line without an echo.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = askOn(nowhere, "", signal);
  // The prompt appears only after the terminal has stopped echoing.
  process.stderr.write(prompt);
  try {
    return await answer;
  } finally {
    process.stderr.write("\n");
  }
}

async function askOn(output: Writable, prompt: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const stop = new AbortController();
  lines.once("SIGINT", () => stop.abort());
  // Ctrl-D or a lost terminal closes the interface; without this the question would never end.
  lines.once("close", () => stop.abort());
  try {
    return await lines.question(prompt, { signal: AbortSignal.any([signal, stop.signal]) });
  } catch (cause) {
    throw new CliError("aborted", "Interrupted", { cause });
  } finally {
    lines.close();
  }
}
