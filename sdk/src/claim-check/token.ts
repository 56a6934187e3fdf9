import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from "./addresses.ts";
import { readExactly, tryRead } from "./expected-instruction.ts";
import type { ClaimInstruction, InstructionCheck } from "./instruction.ts";
import { expectAccount, refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isOfAgent, isTokenAccount } from "./parties.ts";
import { isMark, NO_SANDBOX } from "./sandbox.ts";

/**
 * Allows unwrapping the agent's SOL into its wallet, closing the agent's account for the token
 * (`createdAccounts` checks that the claim made it), with receivers proving what the former holds, and on a
 * sandbox its mark, and transferring wrapped SOL to the agent from the token's fee vaults.
 */
export const checkToken: InstructionCheck = (instruction, parties) => {
  if (isMark(instruction)) {
    if (parties.sandboxVaults.size > 0) return null;
    refuseInstruction(instruction, NO_SANDBOX);
  }
  const { name } = readExactly(instruction);
  switch (name) {
    case "Transfer":
    case "TransferChecked":
      if (parties.receivers.length === 0 || !isTransferToSelf(instruction)) {
        return checkTransfer(instruction, parties);
      }
      checkProof(instruction, parties);
      return null;
    case "CloseAccount":
      checkClose(instruction, parties);
      return null;
    case "SyncNative":
      expectAccounts(instruction, { account: wrappedSolOf(parties) });
      return null;
    default:
      return refuseInstruction(instruction, `${name} of the token program`);
  }
};

/** Allows only closing the agent's account for a token of Token-2022. */
export const checkToken2022: InstructionCheck = (instruction, parties) => {
  if (!isTokenClose(instruction)) {
    const [tag] = instruction.data;
    refuseInstruction(instruction, `instruction ${tag} of Token-2022 is not part of a claim`);
  }
  checkClose(instruction, parties);
  return null;
};

export function isTokenClose(instruction: ClaimInstruction): boolean {
  const { program } = instruction;
  const isToken = program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
  return isToken && tryRead(instruction)?.name === "CloseAccount";
}

/** @returns whether it transfers tokens from an account to the same account, which moves nothing */
export function isTransferToSelf(instruction: ClaimInstruction): boolean {
  const read = instruction.program === TOKEN_PROGRAM ? tryRead(instruction) : null;
  return read?.name === "Transfer" && read.accounts.source === read.accounts.destination;
}

type Expected = readonly [address: string, whose: string];

/** @throws {CheckError} unless an instruction has these accounts at their places, and no others */
function expectAccounts(
  instruction: ClaimInstruction,
  wanted: Readonly<Record<string, Expected>>,
): void {
  const { name, accounts } = readExactly(instruction);
  for (const [account, [address, whose]] of Object.entries(wanted)) {
    expectAccount(instruction, `${name}'s ${account}`, accounts[account] ?? "", address, whose);
  }
}

const wrappedSolOf = ({ wrappedSol }: Parties): Expected => [
  wrappedSol,
  "the agent's wrapped-SOL account",
];

/** Allows a transfer that fails unless the agent's account for wrapped SOL holds as much. */
function checkProof(instruction: ClaimInstruction, parties: Parties): void {
  const owner: Expected = [parties.agent, "the agent"];
  expectAccounts(instruction, { source: wrappedSolOf(parties), owner });
}

/** @returns the mint whose fees it takes */
function checkTransfer(instruction: ClaimInstruction, parties: Parties): string {
  const { name, accounts } = readExactly(instruction);
  const { source = "" } = accounts;
  expectAccounts(instruction, {
    // Without a mint both accounts have the same, and the destination's is wrapped SOL.
    ...(accounts.mint !== undefined && { mint: [WRAPPED_SOL_MINT, "wrapped SOL"] }),
    destination: wrappedSolOf(parties),
    owner: [parties.agent, "the agent"],
  });
  if (isOfAgent(parties, source)) {
    refuseInstruction(instruction, `${name} takes from the agent's own account ${source}`);
  }
  // The agent could take from any account whose owner approved it.
  const { sandboxVaults, isMarked } = parties;
  const tokenMint = sandboxVaults.get(source);
  if (tokenMint !== undefined && isMarked) return tokenMint;
  const isForeign = tokenMint === undefined && sandboxVaults.size > 0;
  const why = isForeign
    ? "which is not a fee vault of the token's pool"
    : "and could land on a real chain";
  return refuseInstruction(instruction, `${name} takes from ${source}, ${why}`);
}

function checkClose(instruction: ClaimInstruction, parties: Parties): void {
  const { program } = instruction;
  const { agent, sponsor } = parties;
  const { account = "" } = readExactly(instruction).accounts;
  const isForToken = isTokenAccount(parties, program, account);
  if (!isForToken) {
    expectAccounts(instruction, { account: wrappedSolOf(parties) });
    expectAccount(instruction, "Its program", program, TOKEN_PROGRAM, "SPL Token");
  }
  const isSponsors = isForToken && sponsor !== null;
  expectAccounts(instruction, {
    destination: isSponsors ? [sponsor, "the sponsor"] : [agent, "the agent"],
    owner: [agent, "the agent"],
  });
}
