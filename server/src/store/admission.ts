import { createHash } from "node:crypto";

/** An invite as the operator sees it; its code is shown once, when it is made. */
export interface Invite {
  readonly id: number;
  readonly note: string | null;
  /** How many agents may redeem it, and how many have. */
  readonly maxUses: number;
  readonly uses: number;
  readonly createdAt: number;
  /** When it expires; null for never. */
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
 * The database keeps only this of a code, so a copy of the database admits no agent.
 *
 * @returns SHA-256 of the code as it is read by people: case, spaces and hyphens do not count
 */
export function inviteHash(code: string): string {
  const letters = code.replace(/[\s-]/g, "").toUpperCase();
  return createHash("sha256").update(`invite ${letters}`).digest("base64url");
}
