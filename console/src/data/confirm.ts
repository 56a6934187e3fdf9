import type { ClaimCost } from "@tokenctl/sdk";
import { Shared } from "./shared.ts";

/** A claim that waits for its person's yes. The SDK has checked its transaction. */
export interface Question {
  /** The tokens whose fees it claims. */
  readonly tickers: readonly string[];
  /** Lamports that could be claimed when the list was read. */
  readonly claimable: bigint;
  readonly cost: ClaimCost;
  /** Until when it can be signed; it is renewed before that. */
  readonly expiresAt: Date | undefined;
  /** @param yes whether the wallet is asked to sign */
  readonly answer: (yes: boolean) => void;
}

/** The person said no before the wallet was asked. */
export class Declined extends Error {
  override readonly name = "Declined";

  constructor() {
    super("You declined; nothing was signed");
  }
}

/** The claim that is shown. */
export const question = new Shared<Question | null>(null);

/** For the SDK's `onRenew`: the claim that is shown can be signed until then. */
export function renewShown(expiresAt: Date): void {
  if (question.value) question.set({ ...question.value, expiresAt });
}

/**
 * For the SDK's `approve`: shows what the claim does and waits.
 *
 * @throws {Declined} if the answer is no
 */
export async function confirmClaim(asked: Omit<Question, "answer">): Promise<void> {
  const answered = Promise.withResolvers<boolean>();
  question.set({ ...asked, answer: answered.resolve });
  const yes = await answered.promise;
  question.set(null);
  if (!yes) throw new Declined();
}
