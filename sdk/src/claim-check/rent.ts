import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM } from "./addresses.ts";
import { type ClaimInstruction, refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import type { CreatedAccount } from "./terms.ts";
import { isTokenClose } from "./token.ts";

/**
 * Maximum lamports per byte. Source: Solana's `Rent::default`; SIMD-0437 lowers it in steps, so an account
 * may cost less, which only a node knows.
 */
export const MOST_PER_BYTE = 6_960n;

/** Bytes of each account beyond its data. Source: Solana's `ACCOUNT_STORAGE_OVERHEAD`. */
export const OVERHEAD_BYTES = 128n;

/** Bytes for which a token account pays rent. Source: spl-token's `Account::LEN`. */
export const TOKEN_ACCOUNT_BYTES = OVERHEAD_BYTES + 165n;

/** The same of an associated account of Token-2022 for a mint that requires no extension: it has `ImmutableOwner`. */
export const TOKEN_2022_ACCOUNT_BYTES = OVERHEAD_BYTES + 170n;

/**
 * The most of an associated account of Token-2022: 165 bytes, one for the account type, and at most 29 for the
 * extensions that its mint requires.
 */
const MOST_TOKEN_2022_BYTES = OVERHEAD_BYTES + 200n;

/**
 * Lists the accounts that a claim makes and keeps. Only that for wrapped SOL may have existed
 * before.
 *
 * @param instructions of the claim, all of them checked, as those of them that pay fees
 * @throws {CheckError} if an account receives no fees, or the claim closes the agent's account
 * for the token without having made it
 */
export function createdAccounts(
  instructions: readonly ClaimInstruction[],
  feePayouts: readonly ClaimInstruction[],
  parties: Parties,
): CreatedAccount[] {
  const used = new Set(feePayouts.flatMap(({ accounts }) => accounts));
  const created = new Map<string, bigint>();
  for (const instruction of instructions) {
    const { program, accounts } = instruction;
    if (program === ASSOCIATED_TOKEN_PROGRAM) {
      const [, address = "", , , , tokenProgram = ""] = accounts;
      if (!used.has(address)) {
        refuseInstruction(instruction, `it makes the account ${address}, which receives no fees`);
      }
      created.set(address, rentOf(tokenProgram));
    }
    if (isTokenClose(instruction)) {
      const [address = ""] = accounts;
      if (address !== parties.wrappedSol && !created.has(address)) {
        refuseInstruction(instruction, `it closes the account ${address}, which it did not make`);
      }
      created.delete(address);
    }
  }
  return [...created].map(([address, lamports]) => ({ address, lamports }));
}

/** @returns the most lamports that an associated account of a token program costs */
function rentOf(tokenProgram: string): bigint {
  const isNew = tokenProgram === TOKEN_2022_PROGRAM;
  return (isNew ? MOST_TOKEN_2022_BYTES : TOKEN_ACCOUNT_BYTES) * MOST_PER_BYTE;
}

/** @returns lamports */
export function sumOfRents(accounts: readonly CreatedAccount[]): bigint {
  return accounts.reduce((sum, { lamports }) => sum + lamports, 0n);
}
