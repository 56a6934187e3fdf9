import type { TokenAmount, TokenBalance } from "@solana/web3.js";
import type { TransactionMetadata } from "litesvm/dist/internal";
import { base58 } from "../base/base58.ts";
import type { StoredAccount } from "./account.ts";
import { readMint, readTokenAccount } from "./token-layout.ts";
import type { TransactionError } from "./transaction-error.ts";

/** As agave's `UiTransactionStatusMeta`; bigint for lamports that no double holds exactly. */
export interface TransactionMeta {
  readonly err: TransactionError | null;
  readonly status: { readonly Ok: null } | { readonly Err: TransactionError };
  readonly fee: number | bigint | null;
  readonly preBalances: readonly (number | bigint)[];
  readonly postBalances: readonly (number | bigint)[];
  readonly innerInstructions: ReturnType<typeof innerInstructionsOf>;
  readonly logMessages: readonly string[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly rewards: readonly [];
  readonly loadedAddresses: { readonly writable: string[]; readonly readonly: string[] };
  readonly returnData?: ReturnType<typeof returnDataOf>;
  readonly computeUnitsConsumed: number;
  /** What it takes of a block's limit. */
  readonly costUnits: number;
}

export function innerInstructionsOf(meta: TransactionMetadata) {
  return meta.innerInstructions().flatMap((inner, index) => {
    if (inner.length === 0) return [];
    const instructions = inner.map((item) => {
      const instruction = item.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: base58.encode(instruction.data()),
        stackHeight: item.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
}

export function returnDataOf(meta: TransactionMetadata) {
  const returned = meta.returnData();
  const data = returned.data();
  if (data.length === 0) return null;
  const programId = base58.encode(returned.programId());
  return { programId, data: [Buffer.from(data).toString("base64"), "base64"] as const };
}

/** @param accounts in the transaction's order; null for those without tokens */
export function tokenBalancesOf(
  accounts: readonly (StoredAccount | null)[],
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = readTokenAccount(account);
    const mint = token && readMint(mintOf(token.mint));
    if (account === null || token === null || mint === null) return [];
    return [
      {
        accountIndex,
        mint: base58.encode(token.mint),
        owner: base58.encode(token.owner),
        programId: base58.encode(account.owner),
        uiTokenAmount: uiTokenAmount(token.amount, mint.decimals),
      },
    ];
  });
}

export function uiTokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
