import type { FeeSchedule } from "@tokenctl/shared/types";

/** What a pool is made under; nobody can change it afterwards. */
export interface PoolTerms {
  /** Address of the launchpad program's config; null if it has none. */
  readonly config: string | null;
  readonly fees: FeeSchedule;
}
