/** The values of `ADMISSION`: whose launches are accepted. Everyone's, those of invited agents, or those on the allowlist. */
export const ADMISSION_MODES = ["open", "invite", "allowlist"] as const;
export type AdmissionMode = (typeof ADMISSION_MODES)[number];

/** What the operator has decided about a wallet. */
export interface Standing {
  readonly isBlocked: boolean;
  readonly isAllowed: boolean;
  readonly isInvited: boolean;
}

export const UNKNOWN_WALLET: Standing = { isBlocked: false, isAllowed: false, isInvited: false };

export type AdmissionRefusal =
  | "wallet_blocked"
  | "invite_required"
  | "invite_invalid"
  | "not_on_allowlist";

/**
 * Decides whether the operator serves an agent. On the allowlist it needs no invite.
 *
 * @param isInviteGood whether the request's invite can be redeemed; null without one
 * @returns why not; null if it does
 */
export function admissionRefusal(
  { isBlocked, isAllowed, isInvited }: Standing,
  mode: AdmissionMode,
  isInviteGood: boolean | null,
): AdmissionRefusal | null {
  if (isBlocked) return "wallet_blocked";
  if (mode === "open" || isAllowed) return null;
  if (mode === "allowlist") return "not_on_allowlist";
  if (isInvited) return null;
  if (isInviteGood === null) return "invite_required";
  return isInviteGood ? null : "invite_invalid";
}

/** Whether an agent that is admitted by an invite redeems it with its launch. */
export function needsInvite({ isAllowed, isInvited }: Standing, mode: AdmissionMode): boolean {
  return mode === "invite" && !isAllowed && !isInvited;
}
