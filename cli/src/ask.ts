import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CliError, exitCodes } from "./errors.ts";

/** See `World.readSecret`. */
export async function readSecret(
  prompt: string,
  signal: AbortSignal,
  again?: string,
): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trimEnd();
  const answer = await askHidden(prompt, signal);
  if (again === undefined || (await askHidden(again, signal)) === answer) return answer;
  throw new CliError("secrets_differ", "What was typed differs from what was typed before", {
    hint: "Run it again; nothing was written",
    exitCode: exitCodes.usage,
  });
}

/** See `World.ask`. */
export function ask(prompt: string, signal: AbortSignal): Promise<string> {
  return askOn(process.stderr, prompt, signal);
}

async function askHidden(prompt: string, signal: AbortSignal): Promise<string> {
  // A terminal with an output that shows nothing: readline edits the line, and no one sees it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = askOn(nowhere, "", signal);
  // Not before the terminal has stopped to show what is typed.
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
  // Ctrl-D, or a terminal that is gone: without it the question would never end.
  lines.once("close", () => stop.abort());
  try {
    return await lines.question(prompt, { signal: AbortSignal.any([signal, stop.signal]) });
  } catch (cause) {
    throw new CliError("aborted", "Interrupted", { exitCode: exitCodes.interrupted, cause });
  } finally {
    lines.close();
  }
}
