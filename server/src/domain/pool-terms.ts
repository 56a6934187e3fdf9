import type { FeeSchedule } from "@tokenctl/shared/types";

/** The terms that a pool is made under; they never change afterwards. */
export interface PoolTerms {
  /** Address of the launchpad program's config; null if it has none. */
  readonly config: string | null;
  readonly fees: FeeSchedule;
}
