import type { ClaimResult, TokenctlClient } from "@tokenctl/sdk";
import type { ClaimBudget } from "../commands/claim-budget.ts";
import type { ClaimTickets } from "./claim-tickets.ts";
import type { Guards } from "./guards.ts";
import type { LaunchAllowance } from "./launch-allowance.ts";
import type { NetworkGuard } from "./network-guard.ts";
import type { Once } from "./once.ts";

/** What the tools of one process share. */
export interface Desk {
  readonly client: TokenctlClient;
  readonly guards: Guards;
  readonly network: NetworkGuard;
  readonly allowance: LaunchAllowance;
  readonly tickets: ClaimTickets<ClaimResult>;
  /** Of all claims of this process. */
  readonly budget: ClaimBudget;
  readonly once: Once;
  /** The names of the tools that are offered. */
  readonly offered: readonly string[];
}
