import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from "./addresses.ts";
import type { InstructionCheck } from "./instruction.ts";
import { expectAccount, nameAccounts, refuseInstruction } from "./instruction.ts";

/** Source: the Associated Token Account program's `AssociatedTokenAccountInstruction`. */
const CREATE = 0;
const CREATE_IDEMPOTENT = 1;

export const accountNames = [
  "payer",
  "account",
  "owner",
  "mint",
  "systemProgram",
  "tokenProgram",
] as const;

/**
 * Allows the agent to create its own accounts for wrapped SOL and for the token. In a sponsored claim the
 * sponsor pays the rent, and each account must be new, so that the rent that comes back is the sponsor's.
 */
export const checkAssociatedToken: InstructionCheck = (instruction, parties) => {
  const { data } = instruction;
  // The program treats an instruction without data as Create.
  const kind = data.length === 0 ? CREATE : data.length === 1 ? data[0] : undefined;
  if (kind !== CREATE && kind !== CREATE_IDEMPOTENT) {
    refuseInstruction(instruction, "it does something other than create a token account");
  }
  if (parties.sponsor !== null && kind !== CREATE) {
    refuseInstruction(instruction, "a sponsor pays for an account that may exist already");
  }
  const what = kind === CREATE ? "Create" : "CreateIdempotent";
  const accounts = nameAccounts(instruction, what, accountNames);
  const { payer, owner, mint, tokenProgram } = accounts;
  const expect = (name: string, actual: string, expected: string, whose: string) =>
    expectAccount(instruction, `${what}'s ${name}`, actual, expected, whose);
  if (parties.sponsor === null) expect("payer", payer, parties.agent, "the agent");
  else expect("payer", payer, parties.sponsor, "the sponsor");
  expect("owner", owner, parties.agent, "the agent");
  expect("system program", accounts.systemProgram, SYSTEM_PROGRAM, "Solana's");
  const ofToken = parties.tokenAccounts.get(mint);
  const expected =
    ofToken !== undefined
      ? ofToken.get(tokenProgram)
      : mint === WRAPPED_SOL_MINT && tokenProgram === TOKEN_PROGRAM
        ? parties.wrappedSol
        : undefined;
  if (expected === undefined) {
    const saw = `${what} makes an account for mint ${mint} of program ${tokenProgram}: neither the token nor wrapped SOL`;
    refuseInstruction(instruction, saw);
  }
  expect("account", accounts.account, expected, "the agent's");
  return "prepares";
};
