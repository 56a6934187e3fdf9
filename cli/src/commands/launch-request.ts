import type { LaunchRequest } from "@tokenctl/sdk";
import { shorteningOf } from "@tokenctl/shared/token-name";
import { InvalidArgumentError } from "commander";
import { parseTicker } from "../arguments.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import type { LaunchFlags } from "./launch.ts";

/** A request of which flags may have left out what is required. */
export type LaunchDraft = Omit<LaunchRequest, "name" | "ticker"> &
  Partial<Pick<LaunchRequest, "name" | "ticker">>;

/**
 * Asks at a terminal for the name and the ticker that no flag gave, and for the name on chain if the
 * typed name is too long for it.
 *
 * @throws {UsageError} if there is no one to ask
 */
export async function completeRequest(
  { ask }: Pick<Context, "ask">,
  draft: LaunchDraft,
  { allowShortenedName }: Pick<LaunchFlags, "allowShortenedName">,
): Promise<LaunchRequest> {
  const missing = [
    ...(draft.name === undefined ? ["'--name <name>'"] : []),
    ...(draft.ticker === undefined ? ["'--ticker <ticker>'"] : []),
  ];
  if (missing.length > 0 && ask === null) {
    const [noun, verb] = missing.length > 1 ? ["options", "are"] : ["option", "is"];
    throw new UsageError(
      `required ${noun} ${missing.join(" and ")} ${verb} missing`,
      "`tokenctl launch --help` shows how it is used",
    );
  }
  const name = draft.name ?? (await filled(ask, "Name: "));
  const ticker = draft.ticker ?? (await filled(ask, "Ticker, 2 to 10 of A-Z and 0-9: ", asTicker));
  const request = { ...draft, name, ticker };
  const isTooLong = draft.name === undefined && !allowShortenedName && shorteningOf(request);
  if (!isTooLong) return request;
  return { ...request, onChainName: await filled(ask, "Name on chain, at most 32 bytes: ") };
}

/** Asks until the answer is not empty, and is as `parse` takes it. */
async function filled(ask: Context["ask"], prompt: string, parse = (text: string) => text) {
  for (let why = ""; ; ) {
    const answer = (await ask?.(why + prompt))?.trim();
    if (answer === undefined) throw new UsageError("There is no one to ask", "Give it as a flag");
    if (answer === "") continue;
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      why = `${error.message} `;
    }
  }
}

function asTicker(text: string): string {
  const ticker = parseTicker(text);
  if (/^[A-Z0-9]{2,10}$/.test(ticker)) return ticker;
  throw new InvalidArgumentError("That is no ticker.");
}
