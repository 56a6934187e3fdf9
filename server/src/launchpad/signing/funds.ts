import {
  ACCOUNT_SIZE,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  ExtensionType,
  getAccountLen,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  TokenInstruction,
} from "@solana/spl-token";
import {
  type AccountInfo,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import type { SigningKind } from "../../domain/signing.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import type { ChainContext } from "../chain/context.ts";
import { readWithRent } from "../chain/launch-state.ts";

interface Funded {
  readonly kind: SigningKind;
  readonly payer: PublicKey;
  readonly instructions: readonly TransactionInstruction[];
}

/**
 * Reads the lamports that a wallet holds and must hold to sign, besides the network fee: the rent of
 * the token accounts that the transaction creates, or in a claim the wallet's rent exemption if that
 * is more; in a hand-over both, because that rent does not come back.
 * @param minContextSlot refuses answers from an older slot
 */
export async function readFunds(
  chain: ChainContext,
  { kind, payer, instructions }: Funded,
  minContextSlot?: number,
) {
  const all = accountsCreated(instructions);
  const keys = [payer, ...all.map(({ address }) => address)];
  const { rentPerByte, accounts } = await readWithRent(chain, keys, minContextSlot);
  const [wallet, ...tokenAccounts] = accounts;
  const created = all.map(({ address, bytes }, index) => {
    const rent = rentExemption(rentPerByte, bytes);
    /** `rent` is what the account still lacks. */
    return { address, rent: missingRent(tokenAccounts[index] ?? null, rent) };
  });
  const rent = created.reduce((sum, account) => sum + account.rent, 0n);
  const reserve = rentExemption(rentPerByte, 0);
  const holds = kind === "claim" ? max(rent, reserve) : rent + reserve;
  return { balance: BigInt(wallet?.lamports ?? 0), rent, holds, created };
}

/** The size of an associated token account of Token-2022, whose owner can never change. */
const TOKEN_2022_SIZE = getAccountLen([ExtensionType.ImmutableOwner]);

function accountsCreated(instructions: readonly TransactionInstruction[]) {
  return instructions.flatMap(({ programId, keys }) => {
    const [_payer, account, _owner, _mint, _system, program] = keys;
    if (!account || !programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) return [];
    const isToken2022 = program?.pubkey.equals(TOKEN_2022_PROGRAM_ID);
    return { address: account.pubkey, bytes: isToken2022 ? TOKEN_2022_SIZE : ACCOUNT_SIZE };
  });
}

/** Anyone can send lamports to an address that has no account yet; they count towards the rent. */
function missingRent(account: AccountInfo<Buffer> | null, rent: bigint): bigint {
  if (!account) return rent;
  if (!account.owner.equals(SystemProgram.programId)) return 0n;
  return max(rent - BigInt(account.lamports), 0n);
}

function max(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

export function closesAccount({ programId, data }: TransactionInstruction): boolean {
  const isOfTokens = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].some((id) => id.equals(programId));
  return isOfTokens && data[0] === TokenInstruction.CloseAccount;
}
