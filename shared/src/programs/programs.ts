import { dammV2 } from "./damm-v2.ts";
import { dbc } from "./dbc.ts";
import type { Program } from "./program.ts";
import { associatedToken, computeBudget, system } from "./solana.ts";
import { token, token2022, tokenMetadata } from "./token.ts";

const all = [system, computeBudget, associatedToken, token, token2022, tokenMetadata, dbc, dammV2];

/** The programs that this project knows, by address. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map(all.map((one) => [one.id, one]));
