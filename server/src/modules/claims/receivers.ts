import { PublicKey } from "@solana/web3.js";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { FieldError, PaidReceiver as PaidOnWire } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import type { PaidReceiver, Receiver } from "../../domain/claim.ts";
import { validationError } from "../../http/validation.ts";

/**
 * Only the chain knows whether an address is a wallet's. @throws {ServiceError} 400 naming the
 * fields
 */
export function requireReceivers(receivers: readonly Receiver[]): void {
  const details = receivers.flatMap(({ address }, index): FieldError[] => {
    const field = `receivers/${index}/address`;
    const bytes = decodeAddress(address);
    if (!bytes || !PublicKey.isOnCurve(bytes)) {
      return [{ field, message: "must be the address of a wallet" }];
    }
    const isFirst = receivers.findIndex((other) => other.address === address) === index;
    return isFirst ? [] : [{ field, message: "is named twice" }];
  });
  if (receivers.length > 0 && receivers.reduce((sum, { share }) => sum + share, 0) !== 100) {
    details.push({ field: "receivers", message: "must have shares that add up to 100" });
  }
  if (details.length > 0) throw validationError(details);
}

/** @returns the field of an answer; none if a claim pays the agent alone */
export function paidOnWire(receivers: readonly PaidReceiver[]): { receivers?: PaidOnWire[] } {
  if (receivers.length === 0) return {};
  return {
    receivers: receivers.map(({ address, lamports }) => ({
      address,
      paidSOL: lamportsToSol(BigInt(lamports)),
      paidLamports: lamports,
    })),
  };
}
