import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol, parseUnits } from "@tokenctl/shared/sol";
import type { LaunchCost, LaunchRequest } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import type { LaunchOrder } from "../../domain/launch.ts";
import { parseSolAmount, validationError } from "../../http/body.ts";
import type { LaunchPrice } from "../../launchpad/launchpad.ts";

const MAX_FIRST_BUY = BigInt(limits.firstBuySOL.max) * LAMPORTS_PER_SOL;

export type Payment = Pick<LaunchOrder, "payer" | "firstBuy">;

/** @throws {ServiceError} 400 if the payer is not one of those, or does not buy */
export function readPayment(
  request: Pick<LaunchRequest, "payer" | "firstBuySOL" | "firstBuyMinTokens">,
  payers: readonly LaunchPayer[],
): Payment {
  // A client that names none may not know that agents can pay, and then signs nothing.
  const { payer = "operator", firstBuySOL, firstBuyMinTokens = "0" } = request;
  if (!payers.includes(payer)) {
    const message = `must be ${payers.join(" or ")} at this service`;
    throw validationError([{ field: "payer", message }]);
  }
  if (firstBuySOL === undefined) return payer === "agent" ? { payer, firstBuy: null } : {};
  if (payer !== "agent") {
    throw validationError([
      { field: "firstBuySOL", message: "needs `payer`: `agent`, as the agent pays for it" },
    ]);
  }
  const lamports = parseSolAmount("firstBuySOL", firstBuySOL, MAX_FIRST_BUY);
  return { payer, firstBuy: { lamports, minUnits: parseUnits(firstBuyMinTokens) } };
}

export function costToWire({ rent, networkFee, creationFee, firstBuy }: LaunchPrice): LaunchCost {
  return {
    total: lamportsToSol(rent + networkFee + creationFee + firstBuy),
    rent: lamportsToSol(rent),
    networkFee: lamportsToSol(networkFee),
    creationFee: lamportsToSol(creationFee),
    firstBuy: lamportsToSol(firstBuy),
  };
}
