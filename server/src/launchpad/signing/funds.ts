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
import { highestRentPerByte, rentExemption } from "../../solana/cluster-pace.ts";
import type { ProgramRefusal } from "../../solana/transaction-error.ts";
import type { ChainContext } from "../chain/context.ts";
import { readWithRent } from "../chain/launch-state.ts";

interface CreatedAccount {
  readonly address: PublicKey;
  /** The rent that the account still lacks, in lamports. */
  readonly rent: bigint;
  /** What it would lack if the cluster's rent rose to the usual rate; at least `rent`. */
  readonly highestRent: bigint;
}

/** Lamports that a wallet holds and must hold to sign: a claim's fees arrive only after it paid. */
export interface Funds {
  readonly balance: bigint;
  /** The rent of the token accounts that the transaction creates. */
  readonly rent: bigint;
  /**
   * What the wallet must hold besides the network fee. A claim needs that rent or the wallet's rent
   * exemption, whichever is more; a hand-over needs both, because that rent does not come back.
   */
  readonly holds: bigint;
  readonly created: readonly CreatedAccount[];
}

interface Funded {
  readonly kind: SigningKind;
  readonly payer: PublicKey;
  readonly instructions: readonly TransactionInstruction[];
  /** Refuses answers from an older slot. */
  readonly minContextSlot?: number | undefined;
}

export async function readFunds(
  chain: ChainContext,
  { kind, payer, instructions, minContextSlot }: Funded,
): Promise<Funds> {
  const all = accountsCreated(payer, instructions);
  const keys = [payer, ...all.map(({ address }) => address)];
  const { rentPerByte, accounts } = await readWithRent(chain, keys, minContextSlot);
  const [wallet, ...tokenAccounts] = accounts;
  const highest = highestRentPerByte(rentPerByte);
  const created = all.map(({ address, bytes, isReplaced }, index) => {
    const account = isReplaced ? null : (tokenAccounts[index] ?? null);
    return {
      address,
      rent: missingRent(account, rentExemption(rentPerByte, bytes)),
      highestRent: missingRent(account, rentExemption(highest, bytes)),
    };
  });
  const rent = created.reduce((sum, account) => sum + account.rent, 0n);
  const reserve = rentExemption(rentPerByte, 0);
  const holds = kind === "claim" ? max(rent, reserve) : rent + reserve;
  return { balance: BigInt(wallet?.lamports ?? 0), rent, holds, created };
}

/** The size of an associated token account of Token-2022, whose owner can never change. */
const TOKEN_2022_SIZE = getAccountLen([ExtensionType.ImmutableOwner]);

function accountsCreated(payer: PublicKey, instructions: readonly TransactionInstruction[]) {
  return instructions.flatMap(({ programId, keys }, index) => {
    const [_payer, account, _owner, _mint, _system, program] = keys;
    if (!account || !programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) return [];
    const address = account.pubkey;
    const isToken2022 = program?.pubkey.equals(TOKEN_2022_PROGRAM_ID);
    const closing = instructions
      .slice(0, index)
      .find((one) => closesAccount(one) && one.keys[0]?.pubkey.equals(address));
    return {
      address,
      bytes: isToken2022 ? TOKEN_2022_SIZE : ACCOUNT_SIZE,
      /** Whether it is first closed to another wallet, so that the payer owes its rent again. */
      isReplaced: closing !== undefined && !closing.keys[1]?.pubkey.equals(payer),
    };
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

/** SPL Token's refusal to close an account that holds tokens. */
const NON_NATIVE_HAS_BALANCE = 11;

/** Whether the token account that a claim creates and closes has since been created and filled. */
export function isFilledMeanwhile(
  refusal: ProgramRefusal | null,
  instructions: readonly TransactionInstruction[],
): boolean {
  const instruction = refusal && instructions[refusal.index];
  if (!instruction || refusal.code !== NON_NATIVE_HAS_BALANCE) return false;
  return closesAccount(instruction);
}
