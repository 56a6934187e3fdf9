import { createHash } from "node:crypto";
import type { HourPlaces } from "../domain/intake.ts";

/** Whose launches are accepted: everyone's, those of invited agents, or those on the allowlist. */
export type AdmissionMode = "open" | "invite" | "allowlist";

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

/** What decides about admission beside the wallet's standing: the mode, and the code in the request. */
export interface AdmissionTerms {
  readonly admission: AdmissionMode;
  /** Whether the code can be redeemed; null without a code. */
  readonly isCodeGood: boolean | null;
}

/**
 * Decides whether an agent may launch. Launches, retries and checks of a launch all ask here.
 *
 * @returns why not; null if it may. On the allowlist an agent needs no invite
 */
export function admissionRefusal(
  { isBlocked, isAllowed, isInvited }: Standing,
  { admission, isCodeGood }: AdmissionTerms,
): AdmissionRefusal | null {
  if (isBlocked) return "wallet_blocked";
  if (admission === "open" || isAllowed) return null;
  if (admission === "allowlist") return "not_on_allowlist";
  if (isInvited) return null;
  if (isCodeGood === null) return "invite_required";
  return isCodeGood ? null : "invite_invalid";
}

/** An invite as the operator sees it; its code is shown once, when it is made. */
export interface Invite {
  readonly id: number;
  readonly note: string | null;
  /** How many agents may redeem it, and how many have. */
  readonly maxUses: number;
  readonly uses: number;
  readonly createdAt: number;
  /** From when on nobody can redeem it; null for never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewInvite {
  /** See {@link inviteHash}. */
  readonly codeHash: string;
  readonly note: string | null;
  readonly maxUses: number;
  readonly expiresAt: number | null;
}

/** `known`: the wallet had redeemed an invite before, and nothing was used up. */
export type RedeemOutcome = "redeemed" | "known" | "blocked" | "invalid";

/**
 * The database keeps only this of a code: a copy of the database lets nobody in.
 *
 * @returns SHA-256 of the code as it is read by people: case, spaces and hyphens do not count
 */
export function inviteHash(code: string): string {
  const letters = code.replace(/[\s-]/g, "").toUpperCase();
  return createHash("sha256").update(`invite ${letters}`).digest("base64url");
}

/** Whom the operator serves. Changes are in the audit table, in the same transaction. */
export interface AdmissionStore {
  standing(wallet: string): Promise<Standing>;

  /** Lets a wallet redeem an invite: once, whatever it is redeemed with. */
  redeem(wallet: string, codeHash: string): Promise<RedeemOutcome>;

  /** @returns whether a code can be redeemed now */
  isRedeemable(codeHash: string): Promise<boolean>;

  /**
   * Agents that have a place in the hour that ends now: whose launch was started in it, or waits.
   *
   * @param address the network address of the request; null if it counts for none
   */
  placesOfHour(wallet: string, address: string | null): Promise<HourPlaces>;
}
