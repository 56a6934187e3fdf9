import type { CurveKnot, FeeSchedule } from "@tokenctl/shared/types";

/** The terms that a pool is made under; they never change afterwards. */
export interface PoolTerms {
  readonly config: string | null;
  readonly fees: FeeSchedule;
  /** The bonding curve from its first price to migration; at least two knots. */
  readonly curve: readonly CurveKnot[];
}
