import type { ClaimCost, LaunchCost } from "@tokenctl/sdk";
import { Asking } from "./shared.ts";

interface Unsigned {
  /** Base64. */
  readonly transaction: string | undefined;
}

export interface LaunchQuestion extends Unsigned {
  readonly kind: "launch";
  readonly ticker: string;
  /** The most that it costs. */
  readonly cost: LaunchCost;
}

export interface ClaimQuestion extends Unsigned {
  readonly kind: "claim";
  readonly tickers: readonly string[];
  /** Lamports that could be claimed when the list was read. */
  readonly claimable: bigint;
  readonly cost: ClaimCost;
  /** Until when it can be signed; it is renewed before that. */
  readonly expiresAt: Date | undefined;
}

/** The person said no before the wallet was asked. */
export class Declined extends Error {
  override readonly name = "Declined";

  constructor() {
    super("You declined; nothing was signed");
  }
}

/** What waits for its person's yes. The SDK has checked its transaction. */
export const question = new Asking<ClaimQuestion | LaunchQuestion>();

/** For the SDK's `onRenew`: the claim that is shown can be signed until then. */
export function renewShown(expiresAt: Date): void {
  if (question.value?.kind === "claim") question.set({ ...question.value, expiresAt });
}

/**
 * For the SDK's `approve`: shows what the transaction does and waits.
 *
 * @throws {Declined} if the answer is no
 */
export async function confirmSigning(asked: ClaimQuestion | LaunchQuestion): Promise<void> {
  if (!(await question.ask(asked))) throw new Declined();
}
