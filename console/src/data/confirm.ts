import type { ClaimCost, LaunchCost } from "@tokenctl/sdk";
import { Shared } from "./shared.ts";

/** What waits for its person's yes. The SDK has checked its transaction. */
export type Question = (ClaimQuestion | LaunchQuestion) & {
  /** @param yes whether the wallet is asked to sign */
  readonly answer: (yes: boolean) => void;
};

interface Unsigned {
  /** Base64. */
  readonly transaction: string | undefined;
}

/** A launch that the wallet pays for. */
export interface LaunchQuestion extends Unsigned {
  readonly kind: "launch";
  readonly ticker: string;
  /** The most that it costs. */
  readonly cost: LaunchCost;
}

/** A claim of fees. */
export interface ClaimQuestion extends Unsigned {
  readonly kind: "claim";
  /** The tokens whose fees it claims. */
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

/** What is shown. */
export const question = new Shared<Question | null>(null);

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
  const answered = Promise.withResolvers<boolean>();
  question.set({ ...asked, answer: answered.resolve });
  const yes = await answered.promise;
  question.set(null);
  if (!yes) throw new Declined();
}
