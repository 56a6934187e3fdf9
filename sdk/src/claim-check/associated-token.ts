import { associatedToken } from "@tokenctl/shared/programs/solana";
import { builder } from "../internal/program-address.ts";
import { TOKEN_PROGRAM, WRAPPED_SOL_MINT } from "./addresses.ts";
import { expectSame, tryRead } from "./expected-instruction.ts";
import { type InstructionCheck, refuseInstruction } from "./instruction.ts";

/**
 * Allows the agent to create its own accounts for wrapped SOL and for the token. In a sponsored claim the
 * sponsor pays the rent, and each account must be new, so that the rent that comes back is the sponsor's.
 */
export const checkAssociatedToken: InstructionCheck = (
  instruction,
  { sponsor, agent, ...parties },
) => {
  const read = tryRead(instruction);
  if (read?.name !== "Create" && read?.name !== "CreateIdempotent") {
    refuseInstruction(instruction, "it does something other than create a token account");
  }
  if (sponsor !== null && read.name !== "Create") {
    refuseInstruction(instruction, "a sponsor pays for an account that may exist already");
  }
  const { mint = "", tokenProgram = "" } = read.accounts;
  const isWrappedSol = mint === WRAPPED_SOL_MINT && tokenProgram === TOKEN_PROGRAM;
  if (!isWrappedSol && !parties.tokenAccounts.get(mint)?.has(tokenProgram)) {
    const saw = `${read.name} makes an account for mint ${mint} of program ${tokenProgram}: neither the token nor wrapped SOL`;
    refuseInstruction(instruction, saw);
  }
  const given = { payer: sponsor ?? agent, owner: agent, mint, tokenProgram };
  const wanted = builder.build(associatedToken, read.name, given, {});
  // A single 0 is Create too, and what is read has no other arguments.
  expectSame(instruction, { ...wanted, data: instruction.data });
  return null;
};
