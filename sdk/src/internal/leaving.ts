import type { ClaimReceipt } from "@tokenctl/shared/types";
import { NotApprovedError } from "../claim-errors.ts";
import { TokenctlError } from "../errors.ts";

interface Left {
  readonly eventId?: string;
  readonly claimed?: readonly ClaimReceipt[];
  /** What it is, and the calls that go on with it. */
  readonly hint: string;
}

/** @returns the error of a call that leaves something behind, which it then says */
export function leaving(cause: unknown, { hint, ...left }: Left): TokenctlError {
  const error = cause instanceof TokenctlError ? cause : new NotApprovedError(cause);
  const advice = error.hint === undefined ? hint : `${error.hint.replace(/\.$/, "")}. ${hint}`;
  return Object.assign(error, { ...left, hint: advice });
}
