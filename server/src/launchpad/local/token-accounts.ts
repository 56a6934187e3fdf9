import { AccountLayout, type RawAccount, TOKEN_PROGRAM_ID } from "@solana/spl-token";

/** What both a connection and the embedded chain itself say of an account. */
interface AccountLike {
  readonly data: Uint8Array;
  readonly owner: { toBytes(): Uint8Array } | Uint8Array;
}

/** @returns a token account's content, or null where there is none */
export function decodeTokenAccount(account: AccountLike | null | undefined): RawAccount | null {
  if (!account || account.data.length !== AccountLayout.span) return null;
  const owner = account.owner instanceof Uint8Array ? account.owner : account.owner.toBytes();
  if (!TOKEN_PROGRAM_ID.toBuffer().equals(owner)) return null;
  return AccountLayout.decode(account.data);
}
