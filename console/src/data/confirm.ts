import type { ClaimCost, LaunchCost } from "@tokenctl/sdk";
import { Asking } from "./shared.ts";

interface Unsigned {
  /** Base64. */
  readonly transaction: string | undefined;
}

export interface LaunchQuestion extends Unsigned {
  readonly kind: "launch";
  readonly ticker: string;
  /** Maximum cost. */
  readonly cost: LaunchCost;
}

export interface ClaimQuestion extends Unsigned {
  readonly kind: "claim";
  readonly tickers: readonly string[];
  /** Lamports that were claimable when the list was read. */
  readonly claimable: bigint;
  readonly cost: ClaimCost;
  /** When the transaction expires; it is renewed before that. */
  readonly expiresAt: Date | undefined;
}

/** The person declined before the wallet was asked. */
export class Declined extends Error {
  override readonly name = "Declined";

  constructor() {
    super("You declined; nothing was signed");
  }
}

/** The question that waits for the person's answer. The SDK has checked its transaction. */
export const question = new Asking<ClaimQuestion | LaunchQuestion>();

/** Shows the new expiry of the displayed claim; for the SDK's `onRenew`. */
export function renewShown(expiresAt: Date): void {
  if (question.value?.kind === "claim") question.set({ ...question.value, expiresAt });
}

/**
 * Shows what the transaction does and waits for the answer; for the SDK's `approve`.
 *
 * @throws {Declined} if the person declines
 */
export async function confirmSigning(asked: ClaimQuestion | LaunchQuestion): Promise<void> {
  if (!(await question.ask(asked))) throw new Declined();
}
