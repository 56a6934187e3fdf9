import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./addresses.ts";
import type { ClaimInstruction } from "./instruction.ts";
import { refuseInstruction } from "./instruction.ts";
import type { CreatedAccount } from "./terms.ts";

/** Lamports that a byte must hold to be exempt from rent. Source: Solana's `Rent::default`. */
const LAMPORTS_PER_BYTE = 6_960n;
/** Bytes of bookkeeping that each account counts. Source: Solana's `ACCOUNT_STORAGE_OVERHEAD`. */
const OVERHEAD_BYTES = 128n;
/** Source: spl-token's `Account::LEN`. */
const TOKEN_ACCOUNT_BYTES = 165n;
/**
 * More than any account that Associated Token Account makes for a Token-2022 mint: 165 bytes, one
 * for the kind, and at most 29 for the extensions that a mint asks of its accounts.
 */
const TOKEN_2022_ACCOUNT_BYTES = 200n;
/** The tag of SPL Token's CloseAccount. */
const CLOSE_ACCOUNT = 9;

/**
 * The accounts that a claim makes and leaves behind. One that it closes again gives its rent back.
 *
 * @param instructions of a claim whose every instruction was checked
 * @param takers those of them that bring fees
 * @throws {ClaimCheckError} if it makes an account that no fees come into
 */
export function createdAccounts(
  instructions: readonly ClaimInstruction[],
  takers: readonly ClaimInstruction[],
): CreatedAccount[] {
  const used = new Set(takers.flatMap(({ accounts }) => accounts));
  const created = new Map<string, bigint>();
  for (const instruction of instructions) {
    const { program, accounts, data } = instruction;
    if (program === ASSOCIATED_TOKEN_PROGRAM) {
      const [, address = "", , , , tokenProgram = ""] = accounts;
      if (!used.has(address)) {
        refuseInstruction(instruction, `it makes the account ${address}, which no fees come into`);
      }
      created.set(address, rentOf(tokenProgram));
    }
    if (program === TOKEN_PROGRAM && data[0] === CLOSE_ACCOUNT) created.delete(accounts[0] ?? "");
  }
  return [...created].map(([address, lamports]) => ({ address, lamports }));
}

function rentOf(tokenProgram: string): bigint {
  const bytes =
    tokenProgram === TOKEN_2022_PROGRAM ? TOKEN_2022_ACCOUNT_BYTES : TOKEN_ACCOUNT_BYTES;
  return (OVERHEAD_BYTES + bytes) * LAMPORTS_PER_BYTE;
}
