import type { WaitingFor } from "@tokenctl/shared/types";
import {
  ChainUnavailableError,
  DailyBudgetSpentError,
  LaunchWalletError,
} from "../launchpad/errors.ts";

/** @returns what a launch waits for after this error, as its agent reads it */
export function waitReason(error: unknown): WaitingFor {
  if (error instanceof DailyBudgetSpentError) return "daily_budget_spent";
  if (error instanceof LaunchWalletError) return "launch_wallet_short";
  if (error instanceof ChainUnavailableError) return "chain_unavailable";
  return "service_problem";
}
