import type { StoredAccount } from "../account.ts";
import { base58 } from "../base58.ts";
import { sameBytes } from "../bytes.ts";
import { readMint, readTokenAccount } from "../token-layout.ts";
import { uiTokenAmount } from "../transaction-meta.ts";
import { TOKEN_PROGRAM } from "../well-known.ts";

/**
 * A token account or mint in the form of `jsonParsed` (agave `account-decoder/src/parse_token.rs`),
 * without the extensions of Token-2022.
 *
 * @returns null if it is neither
 */
export function parsedTokenData(
  account: StoredAccount,
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): Record<string, unknown> | null {
  const parsed = parsedAccount(account, mintOf) ?? parsedMint(account);
  if (parsed === null) return null;
  const program = sameBytes(account.owner, TOKEN_PROGRAM) ? "spl-token" : "spl-token-2022";
  return { program, parsed, space: account.data.length };
}

function parsedAccount(
  account: StoredAccount,
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): Record<string, unknown> | null {
  const token = readTokenAccount(account);
  if (token === null) return null;
  const mint = readMint(mintOf(token.mint));
  if (mint === null) return null;
  const { delegate, closeAuthority, nativeReserve } = token;
  const info = {
    mint: base58.encode(token.mint),
    owner: base58.encode(token.owner),
    tokenAmount: uiTokenAmount(token.amount, mint.decimals),
    state: token.state,
    isNative: nativeReserve !== null,
    ...(delegate === null
      ? {}
      : {
          delegate: base58.encode(delegate),
          delegatedAmount: uiTokenAmount(token.delegatedAmount, mint.decimals),
        }),
    ...(nativeReserve === null
      ? {}
      : { rentExemptReserve: uiTokenAmount(nativeReserve, mint.decimals) }),
    ...(closeAuthority === null ? {} : { closeAuthority: base58.encode(closeAuthority) }),
  };
  return { type: "account", info };
}

function parsedMint(account: StoredAccount): Record<string, unknown> | null {
  const mint = readMint(account);
  if (mint === null) return null;
  const info = {
    mintAuthority: optional(mint.mintAuthority),
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: true,
    freezeAuthority: optional(mint.freezeAuthority),
  };
  return { type: "mint", info };
}

function optional(key: Uint8Array | null): string | null {
  return key === null ? null : base58.encode(key);
}
