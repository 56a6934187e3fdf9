import type { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import type { dbc } from "@tokenctl/shared/programs/dbc";
import {
  type AccountOf,
  kindOfAccount,
  type Program,
  readAccount,
} from "@tokenctl/shared/programs/program";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";
import type { ChainAccount } from "./chain-accounts.ts";

export type CurvePool = AccountOf<typeof dbc, "VirtualPool">;
export type LiquidityPool = AccountOf<typeof dammV2, "Pool">;
export type Position = AccountOf<typeof dammV2, "Position">;

/** Returns null for an account of another program or kind. */
export function tryAccount<P extends Program, K extends keyof P["accounts"] & string>(
  program: P,
  kind: K,
  account: ChainAccount | null | undefined,
): AccountOf<P, K> | null {
  try {
    return account ? readAccount(program, kind, account) : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns for example `a VirtualPool of Dynamic Bonding Curve`, or `an unknown account of …`. */
export function kindOf({ owner, data }: ChainAccount): string {
  const program = PROGRAMS.get(owner);
  const kind = program && kindOfAccount(program, data);
  const hasKinds = program && Object.keys(program.accounts).length > 0;
  const of = hasKinds ? program.name : `program ${owner}`;
  return kind ? `a ${kind} of ${of}` : `an unknown account of ${of}`;
}

export function withdrawable({ unlockedLiquidity, vestedLiquidity }: Position): bigint {
  return unlockedLiquidity + vestedLiquidity;
}
