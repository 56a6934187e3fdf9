import { distance } from "fastest-levenshtein";
import type { Env } from "./kinds.ts";
import { SETTINGS } from "./settings.ts";

/** @returns a sentence about each variable that may be a misspelt setting, without its value */
export function misspelt(env: Env): string[] {
  const set = Object.keys(env).filter((name) => env[name] && !(name in SETTINGS));
  return set.flatMap((name) => {
    const meant = Object.keys(SETTINGS).find((setting) => isNear(name, setting));
    return meant === undefined ? [] : `${name} is not a setting: did you mean ${meant}?`;
  });
}

/** A name may have one error for each 4 characters, so `API_URL` is not taken for `RPC_URL`. */
const CHARACTERS_PER_ERROR = 4;
const MAX_ERRORS = 2;

export function isNear(name: string, setting: string): boolean {
  const errors = Math.min(MAX_ERRORS, Math.floor(setting.length / CHARACTERS_PER_ERROR));
  if (Math.abs(name.length - setting.length) > errors) return false;
  return errorsBetween(name.toUpperCase(), setting) <= errors;
}

/** Two neighbours that changed places are one error, and for Levenshtein's distance two. */
function errorsBetween(name: string, setting: string): number {
  const swapped = Array.from({ length: name.length - 1 }, (_, at) =>
    [name.slice(0, at), name.charAt(at + 1), name.charAt(at), name.slice(at + 2)].join(""),
  );
  return Math.min(
    distance(name, setting),
    ...swapped.map((variant) => 1 + distance(variant, setting)),
  );
}
