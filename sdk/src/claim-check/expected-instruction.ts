import { equalBytes } from "../internal/bytes.ts";
import { derived } from "../internal/program-address.ts";
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from "./addresses.ts";
import { type ClaimInstruction, refuseInstruction } from "./instruction.ts";

/** An instruction that a transaction must have at its place. */
export interface ExpectedInstruction {
  readonly name: string;
  readonly program: string;
  /** By the names that the program's interface gives them, in its order. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

/** @throws {ClaimCheckError} unless the instruction is the expected one in every byte and account */
export function expectSame(seen: ClaimInstruction, wanted: ExpectedInstruction): void {
  const { name, program, data } = wanted;
  if (seen.program !== program) {
    refuseInstruction(seen, `it calls ${seen.program} instead of ${program} for ${name}`);
  }
  const accounts = Object.entries(wanted.accounts);
  if (seen.accounts.length !== accounts.length) {
    const count = `${seen.accounts.length} accounts instead of ${accounts.length}`;
    refuseInstruction(seen, `${name} has ${count}`);
  }
  for (const [place, [what, address]] of accounts.entries()) {
    if (seen.accounts[place] === address) continue;
    refuseInstruction(seen, `${name}'s ${what} is ${seen.accounts[place]} instead of ${address}`);
  }
  if (!equalBytes(seen.data, data)) {
    refuseInstruction(seen, `${name} has other arguments than those asked for`);
  }
}

/** @returns the address of a wallet's associated account, base58 */
export const accountOf = (wallet: string, mint: string, tokenProgram: string) =>
  derived(ASSOCIATED_TOKEN_PROGRAM, null, wallet, tokenProgram, mint);

const CREATE_IDEMPOTENT = 1;

interface MadeAccount {
  readonly payer: string;
  readonly owner: string;
  readonly mint: string;
  readonly tokenProgram: string;
}

/** The instruction that makes a wallet's associated account, unless there is one. */
export function makeAccount({
  payer,
  owner,
  mint,
  tokenProgram,
}: MadeAccount): ExpectedInstruction {
  return {
    name: "CreateIdempotent",
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: {
      payer,
      account: accountOf(owner, mint, tokenProgram),
      owner,
      mint,
      "system program": SYSTEM_PROGRAM,
      "token program": tokenProgram,
    },
    data: Uint8Array.of(CREATE_IDEMPOTENT),
  };
}
