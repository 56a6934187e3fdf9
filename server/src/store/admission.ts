import { createHash } from "node:crypto";
import type { invites } from "./schema.ts";

/** An invite as the operator sees it; its code is shown once, when it is made. */
export type Invite = Readonly<Omit<typeof invites.$inferSelect, "codeHash">>;

/** An invite to store; `codeHash` is what {@link inviteHash} returns. */
export type NewInvite = Readonly<
  Pick<typeof invites.$inferSelect, "codeHash" | "note" | "maxUses" | "expiresAt">
>;

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
