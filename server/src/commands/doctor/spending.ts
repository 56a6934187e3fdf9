import { formatSol } from "@tokenctl/shared/sol";
import type { Config, LimitsConfig, SolanaChainConfig } from "../../config/config.ts";
import { proxyWarning } from "../../config/warnings.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** Reports the most that launches can take from the launch wallet in a day. */
export function checkSpending(
  { spending: { maxDailySpendLamports } }: SolanaChainConfig,
  { launches: { maxOfAddress, payers } }: LimitsConfig,
): Finding {
  if (maxDailySpendLamports !== null) {
    const sol = formatSol(maxDailySpendLamports);
    const what = payers.includes("operator") ? "launches" : "migrations";
    return ok("spending", `${what} can take at most ${sol} SOL a day`);
  }
  if (!payers.includes("operator")) {
    return warning(
      "spending",
      "nothing limits what migrations can take a day (MAX_DAILY_SPEND_SOL=unlimited)",
    );
  }
  const address = Number.isFinite(maxOfAddress)
    ? `a network address ${maxOfAddress} launches (MAX_LAUNCHES_PER_ADDRESS)`
    : "a network address any number (MAX_LAUNCHES_PER_ADDRESS=0)";
  return warning(
    "spending",
    `nothing limits what launches can take a day (MAX_DAILY_SPEND_SOL=unlimited): a wallet gets one token a day and ${address}, but anyone can have many of both. Set an amount that you can lose in a day`,
  );
}

/** Checks that the limits per network address count each client separately. */
export function checkAddresses(config: Config): Finding {
  const problem = proxyWarning(config);
  if (problem !== null) return warning("addresses", problem);
  const source = config.limits.trustProxy ? "X-Forwarded-For" : "the connection";
  return ok("addresses", `a client's network address is the one of ${source}`);
}
