import { formatSol, parseSol } from "@tokenctl/shared/sol";
import { isUuid } from "@tokenctl/shared/uuid";
import { InvalidArgumentError } from "commander";
import { type Toolset, toolsets } from "./mcp/guards.ts";

// What commander reads arguments and options with. Without a comment a function returns its text unchanged.

export function isAddress(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);
}

export function address(text: string): string {
  if (isAddress(text)) return text;
  throw new InvalidArgumentError("An address is 32 to 44 base58 characters.");
}

const isTickerOrMint = (text: string) => /^[A-Za-z0-9]{2,10}$/.test(text) || isAddress(text);

/** Collects an option that may be given several times. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export function token(text: string): string {
  if (isTickerOrMint(text)) return text;
  throw new InvalidArgumentError(
    "Give a ticker of 2 to 10 letters and digits, or a mint address of 32 to 44 base58 characters.",
  );
}

export function launch(text: string): string {
  if (isTickerOrMint(text) || isUuid(text)) return text;
  throw new InvalidArgumentError(
    "Give a ticker of 2 to 10 letters and digits, a mint address, or the event id that `launch` printed.",
  );
}

/** Refuses a ticker that capitals would correct; the server says what is wrong with another. */
export function ticker(text: string): string {
  const capitals = text.toUpperCase();
  if (text === capitals || !/^[A-Z0-9]{2,10}$/.test(capitals)) return text;
  throw new InvalidArgumentError(`A ticker is in capital letters. Did you mean ${capitals}?`);
}

export function webhookId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new InvalidArgumentError("A webhook's id is a UUID; `webhooks list` prints it.");
}

/** @returns an amount of SOL in plain digits, for example `0.25` for `0.250` */
export function amount(text: string): string {
  if (/^\d+\.\d{10,}$/.test(text)) {
    throw new InvalidArgumentError(
      "An amount of SOL has at most 9 decimals: a lamport is 0.000000001 SOL.",
    );
  }
  let lamports = 0n;
  try {
    lamports = parseSol(text);
  } catch {
    // Not a decimal number: refused like 0.
  }
  if (lamports > 0n) return formatSol(lamports);
  throw new InvalidArgumentError("An amount of SOL is a number above 0, such as 1 or 0.25.");
}

const wholeNumber = (min: number, max: number, rule: string) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(rule);
};

const NO_LAUNCHES = "Give a whole number from 1 to 1000; --read-only allows none.";

export const limit = wholeNumber(1, 1000, "Give a number from 1 to 1000.");
export const concurrency = wholeNumber(1, 16, "Give a number from 1 to 16.");
export const dayLimit = wholeNumber(1, 1000, NO_LAUNCHES);
export const count = wholeNumber(0, 1e15, "Give a whole number, such as 0 or 17.");

export function seconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds >= 0.1 && seconds <= 3600) return seconds;
  throw new InvalidArgumentError("Give a number of seconds from 0.1 to 3600.");
}

export function profile(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError("A profile's name is letters, digits, `.`, `_` and `-`.");
}

/** @returns a path of hardened steps, for example `m/44'/501'/0'/0'` */
export function derivationPath(text: string): string {
  const steps = text.split("/").slice(1);
  const isPath = /^m(\/\d{1,10}['hH])+$/.test(text);
  if (isPath && steps.every((step) => Number.parseInt(step, 10) < 2 ** 31)) return text;
  throw new InvalidArgumentError("A path has only hardened steps, such as m/44'/501'/0'/0'.");
}

export function amountOrOff(text: string): string {
  return text === "off" ? text : amount(text);
}

export function time(text: string): string {
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Give a date or a UTC time, such as 2026-01-31 or 2026-01-31T09:30Z.",
  );
}

export function toolsetNames(text: string): Toolset[] {
  const names = text.split(",").map((name) => name.trim());
  return names.map((name) => {
    const known = toolsets.find((toolset) => toolset === name);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`The toolsets are ${toolsets.join(", ")}.`);
  });
}
