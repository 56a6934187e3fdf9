import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM } from "./addresses.ts";
import type { ClaimInstruction } from "./instruction.ts";
import { refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { MOST_PER_BYTE, OVERHEAD_BYTES, TOKEN_ACCOUNT_BYTES } from "./rent-bound.ts";
import type { CreatedAccount } from "./terms.ts";
import { isTokenClose } from "./token.ts";

/**
 * Maximum size of an associated account for a Token-2022 mint: 165 bytes, one for the account type, and
 * at most 29 for the extensions that the mint requires.
 */
const TOKEN_2022_ACCOUNT_BYTES = 200n;

/**
 * Lists the accounts that a claim makes and keeps. Only that for wrapped SOL may have existed
 * before.
 *
 * @param instructions of the claim, all of them checked, as those of them that pay fees
 * @throws {ClaimCheckError} if an account receives no fees, or the claim closes the agent's account
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

function rentOf(tokenProgram: string): bigint {
  const bytes =
    tokenProgram === TOKEN_2022_PROGRAM
      ? OVERHEAD_BYTES + TOKEN_2022_ACCOUNT_BYTES
      : TOKEN_ACCOUNT_BYTES;
  return bytes * MOST_PER_BYTE;
}
