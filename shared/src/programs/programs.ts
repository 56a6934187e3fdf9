import { dammV2 } from "./damm-v2.ts";
import { dbc } from "./dbc.ts";
import type { Program } from "./program.ts";
import { associatedToken, computeBudget, system } from "./solana.ts";
import { token, token2022, tokenMetadata } from "./token.ts";

const all = [system, computeBudget, associatedToken, token, token2022, tokenMetadata, dbc, dammV2];

/** The programs that this project knows, by address. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map(all.map((one) => [one.id, one]));

/**
 * @param program the program's address, base58
 * @returns the meaning of a program's own error code; null for a code that users do not cause
 * @example programErrorWords("dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN", 6033)
 */
export function programErrorWords(program: string, code: number): string | null {
  return PROGRAMS.get(program)?.errors[code] ?? null;
}
