import { AccountLayout, type RawAccount, TOKEN_PROGRAM_ID } from "@solana/spl-token";

/** An account as both a connection and the embedded chain return it. */
interface AccountLike {
  readonly data: Uint8Array;
  readonly owner: { toBytes(): Uint8Array } | Uint8Array;
}

/** @returns a token account's content; null if it is no token account */
export function decodeTokenAccount(account: AccountLike | null | undefined): RawAccount | null {
  if (!account || account.data.length !== AccountLayout.span) return null;
  const owner = account.owner instanceof Uint8Array ? account.owner : account.owner.toBytes();
  if (!TOKEN_PROGRAM_ID.toBuffer().equals(owner)) return null;
  return AccountLayout.decode(account.data);
}
