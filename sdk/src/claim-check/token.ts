import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from "./addresses.ts";
import type { ClaimInstruction, InstructionCheck } from "./instruction.ts";
import { expectAccount, nameAccounts, refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isOfAgent, isTokenAccount } from "./parties.ts";

/** By tag, the first byte of the data, for errors (`TokenInstruction` of spl-token 0.4). */
const names: Readonly<Record<number, string>> = {
  0: "InitializeMint",
  1: "InitializeAccount",
  2: "InitializeMultisig",
  3: "Transfer",
  4: "Approve",
  5: "Revoke",
  6: "SetAuthority",
  7: "MintTo",
  8: "Burn",
  9: "CloseAccount",
  10: "FreezeAccount",
  11: "ThawAccount",
  12: "TransferChecked",
  13: "ApproveChecked",
  14: "MintToChecked",
  15: "BurnChecked",
  17: "SyncNative",
  18: "InitializeAccount3",
  20: "InitializeMint2",
  38: "WithdrawExcessLamports",
  45: "UnwrapLamports",
  255: "Batch",
};

/** @param tag the first byte of the data, of SPL Token and Token-2022 alike */
export function tokenInstructionName(tag = -1): string {
  return names[tag] ?? `instruction ${tag}`;
}

/** Bytes of data, including the tag, of the instructions that can be allowed. */
const dataLengths: Readonly<Record<string, number>> = {
  Transfer: 9,
  TransferChecked: 10,
  CloseAccount: 1,
  SyncNative: 1,
};

/**
 * Allows unwrapping the agent's SOL into its wallet, closing the agent's account for the token
 * (`createdAccounts` checks that the claim made it), with receivers proving what the former holds, and on a
 * sandbox transferring wrapped SOL to the agent from the token's fee vaults.
 */
export const checkToken: InstructionCheck = (instruction, parties) => {
  const name = tokenInstructionName(instruction.data[0]);
  const dataLength = dataLengths[name];
  if (dataLength === undefined) refuseInstruction(instruction, `${name} of the token program`);
  if (instruction.data.length !== dataLength) {
    refuseInstruction(instruction, `${name} with ${instruction.data.length} bytes of data`);
  }
  if (isTransfer(name)) {
    if (isTransferToSelf(instruction) && parties.receivers.length > 0) {
      checkProof(instruction, parties);
      return "prepares";
    }
    checkTransfer(instruction, name, parties);
    return "takes fees";
  }
  if (name === "CloseAccount") checkClose(instruction, parties);
  else {
    const { account } = nameAccounts(instruction, name, ["account"]);
    expectWrappedSol(instruction, "SyncNative's account", account, parties);
  }
  return "prepares";
};

/** Allows only closing the agent's account for a token of Token-2022. */
export const checkToken2022: InstructionCheck = (instruction, parties) => {
  const [tag] = instruction.data;
  if (tag === undefined || names[tag] !== "CloseAccount") {
    refuseInstruction(instruction, `instruction ${tag} of Token-2022 is not part of a claim`);
  }
  if (instruction.data.length !== 1) {
    refuseInstruction(instruction, `CloseAccount with ${instruction.data.length} bytes of data`);
  }
  checkClose(instruction, parties);
  return "prepares";
};

export function isTokenClose({ program, data }: ClaimInstruction): boolean {
  const isToken = program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
  return isToken && names[data[0] ?? -1] === "CloseAccount";
}

export function isTokenTransfer({ program, data }: ClaimInstruction): boolean {
  return program === TOKEN_PROGRAM && isTransfer(names[data[0] ?? -1]);
}

/** @returns whether it transfers tokens from an account to the same account, which moves nothing */
export function isTransferToSelf({ program, accounts, data }: ClaimInstruction): boolean {
  const [from, to] = accounts;
  return program === TOKEN_PROGRAM && names[data[0] ?? -1] === "Transfer" && from === to;
}

/** Allows a transfer that fails unless the agent's account for wrapped SOL holds as much. */
function checkProof(instruction: ClaimInstruction, parties: Parties): void {
  const names = ["source", "destination", "authority"] as const;
  const { source, authority } = nameAccounts(instruction, "Transfer", names);
  expectWrappedSol(instruction, "Transfer's source", source, parties);
  expectAccount(instruction, "Transfer's authority", authority, parties.agent, "the agent");
}

function isTransfer(name: string | undefined): name is "Transfer" | "TransferChecked" {
  return name === "Transfer" || name === "TransferChecked";
}

function checkTransfer(instruction: ClaimInstruction, name: string, parties: Parties): void {
  const { source, mint, destination, authority } =
    name === "Transfer"
      ? {
          ...nameAccounts(instruction, name, ["source", "destination", "authority"]),
          // Both accounts have the same mint, and the destination's is wrapped SOL.
          mint: WRAPPED_SOL_MINT,
        }
      : nameAccounts(instruction, name, ["source", "mint", "destination", "authority"]);
  expectAccount(instruction, `${name}'s mint`, mint, WRAPPED_SOL_MINT, "wrapped SOL");
  expectWrappedSol(instruction, `${name}'s destination`, destination, parties);
  expectAccount(instruction, `${name}'s authority`, authority, parties.agent, "the agent");
  if (isOfAgent(parties, source)) {
    refuseInstruction(instruction, `${name} takes from the agent's own account ${source}`);
  }
  // The agent could take from any account whose owner approved it.
  if (!parties.sandboxVaults.includes(source)) {
    const why =
      parties.sandboxVaults.length === 0
        ? "and the server is not known to be a sandbox (allowSandboxClaims)"
        : "which is not a fee vault of the token's pool";
    refuseInstruction(instruction, `${name} takes from ${source}, ${why}`);
  }
}

function checkClose(instruction: ClaimInstruction, parties: Parties): void {
  const names = ["account", "destination", "owner"] as const;
  const { account, destination, owner } = nameAccounts(instruction, "CloseAccount", names);
  const isForToken = isTokenAccount(parties, instruction.program, account);
  if (!isForToken) {
    expectWrappedSol(instruction, "CloseAccount's account", account, parties);
    expectAccount(instruction, "Its program", instruction.program, TOKEN_PROGRAM, "SPL Token");
  }
  const what = "CloseAccount's destination";
  if (isForToken && parties.sponsor !== null) {
    expectAccount(instruction, what, destination, parties.sponsor, "the sponsor");
  } else expectAccount(instruction, what, destination, parties.agent, "the agent");
  expectAccount(instruction, "CloseAccount's owner", owner, parties.agent, "the agent");
}

function expectWrappedSol(
  instruction: ClaimInstruction,
  what: string,
  actual: string,
  parties: Parties,
): void {
  expectAccount(instruction, what, actual, parties.wrappedSol, "the agent's wrapped-SOL account");
}
