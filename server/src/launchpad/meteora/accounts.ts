import type { AccountInfo, PublicKey } from "@solana/web3.js";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import type { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import type { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { type AccountOf, type Program, readAccount } from "@tokenctl/shared/programs/program";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";

export type CurvePool = AccountOf<typeof dbc, "VirtualPool">;
export type { CurveConfig };
/** A DAMM v2 pool whose token B is wrapped SOL. */
export type LiquidityPool = AccountOf<typeof dammV2, "Pool">;
/** A share of a DAMM v2 pool. */
export type Position = AccountOf<typeof dammV2, "Position">;

export type Found = Pick<AccountInfo<Buffer>, "owner" | "data">;

export type AccountFault = ChainUnavailableError | TokenUnreadableError;

/** @param name what errors call it if it is missing, and `text` if it is something else */
export function tryRead<P extends Program, K extends keyof P["accounts"] & string>(
  account: Found | null | undefined,
  [program, kind]: readonly [P, K],
  { address, name, text = name }: { address: PublicKey; name: string; text?: string },
): AccountOf<P, K> | AccountFault {
  if (!account) return new ChainUnavailableError(`The ${name} ${address} was not found`);
  try {
    return readAccount(program, kind, account);
  } catch (error) {
    return new TokenUnreadableError(`The account ${address} is not a ${text}`, error);
  }
}

/** @param type as `TokenType` of the DBC SDK: of a pool, or of the pools that a config makes */
export function tokenProgramOf(type: number): string {
  return type === 0 ? TOKEN : TOKEN_2022;
}

/** Whether the creator gets a position in the pool after the curve. */
export function creatorHasPosition(config: CurveConfig): boolean {
  return config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage > 0;
}
