import {
  ACCOUNT_SIZE,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  ExtensionType,
  getAccountLen,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import {
  type AccountInfo,
  type PublicKey,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** What a wallet holds and must hold to claim: the fees arrive only after it has paid. In lamports. */
export interface ClaimFunds {
  readonly balance: bigint;
  /**
   * What the wallet must hold beside the network fee: the rent of the token accounts that the claim
   * creates, or the wallet's own rent exemption if that is more.
   */
  readonly deposit: bigint;
}

/**
 * Reads what a claim's wallet holds and must hold, in one request.
 *
 * @param instructions the claim's
 * @param minContextSlot an answer from an older slot is refused
 * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
 */
export async function readClaimFunds(
  chain: ChainContext,
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<ClaimFunds> {
  const { balance, ofWallet, created } = await readRents(
    chain,
    payer,
    instructions,
    minContextSlot,
  );
  let deposit = 0n;
  for (const { rent } of created) deposit += rent;
  return { balance, deposit: deposit > ofWallet ? deposit : ofWallet };
}

/** A wallet's balance, and what the token accounts cost that a claim creates. In lamports. */
export interface ClaimRents {
  readonly balance: bigint;
  /** The least that a wallet can hold. */
  readonly ofWallet: bigint;
  /** With the rent that each of them still lacks. */
  readonly created: readonly { readonly address: PublicKey; readonly rent: bigint }[];
}

/**
 * Reads what each account costs that a claim creates, in one request.
 *
 * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
 */
export async function readRents(
  { connection }: ChainContext,
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<ClaimRents> {
  const created = accountsCreated(instructions);
  const keys = [payer, SYSVAR_RENT_PUBKEY, ...created.map(({ address }) => address)];
  const { context, value } = await withRpcErrors(() =>
    connection.getMultipleAccountsInfoAndContext(keys, {
      commitment: "confirmed",
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    }),
  );
  if (context.slot < (minContextSlot ?? 0)) {
    throw new ChainUnavailableError("The Solana RPC node is behind its cluster");
  }
  const [wallet, rent, ...tokenAccounts] = value;
  if (!rent || value.length !== keys.length) {
    throw new ChainUnavailableError("The Solana RPC returned no rent");
  }
  return {
    balance: BigInt(wallet?.lamports ?? 0),
    ofWallet: rentExemption(rent.data, 0),
    created: created.map(({ address, bytes }, index) => ({
      address,
      rent: missingRent(tokenAccounts[index] ?? null, rentExemption(rent.data, bytes)),
    })),
  };
}

/** An associated token account of Token-2022: the program lets nobody change its owner. */
const TOKEN_2022_SIZE = getAccountLen([ExtensionType.ImmutableOwner]);

/** The associated token accounts that instructions create if they are missing. */
function accountsCreated(
  instructions: readonly TransactionInstruction[],
): { address: PublicKey; bytes: number }[] {
  return instructions
    .filter(({ programId }) => programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID))
    .flatMap(({ keys: [_payer, account, _owner, _mint, _system, program] }) => {
      if (!account) return [];
      const isToken2022 = program?.pubkey.equals(TOKEN_2022_PROGRAM_ID);
      return { address: account.pubkey, bytes: isToken2022 ? TOKEN_2022_SIZE : ACCOUNT_SIZE };
    });
}

/** Anyone can send lamports to an address that has no account yet; they count towards the rent. */
function missingRent(account: AccountInfo<Buffer> | null, rent: bigint): bigint {
  if (!account) return rent;
  if (!account.owner.equals(SystemProgram.programId)) return 0n;
  const missing = rent - BigInt(account.lamports);
  return missing > 0n ? missing : 0n;
}

/** Bytes of metadata that every account pays rent for. Source: `ACCOUNT_STORAGE_OVERHEAD` of agave. */
const OVERHEAD_BYTES = 128;

/**
 * @param rent the sysvar: lamports per byte and year (u64), then years (f64). Source: `Rent` of
 * solana-sdk
 * @returns lamports
 */
function rentExemption(rent: Buffer, bytes: number): bigint {
  const perYear = BigInt(OVERHEAD_BYTES + bytes) * rent.readBigUInt64LE(0);
  return BigInt(Math.trunc(Number(perYear) * rent.readDoubleLE(8)));
}
