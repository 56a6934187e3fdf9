import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from "./addresses.ts";
import type { ClaimInstruction, InstructionCheck } from "./instruction.ts";
import { expectAccount, nameAccounts, refuseInstruction } from "./instruction.ts";
import { refuseTransaction } from "./message.ts";
import type { Parties } from "./parties.ts";
import { MOST_PER_BYTE, TOKEN_ACCOUNT_BYTES } from "./rent-bound.ts";
import type { ClaimSponsor, CreatedAccount } from "./terms.ts";

/** The System program's Transfer: its tag (u32) and the lamports (u64). Source: `SystemInstruction`. */
const TRANSFER = 2;
const TRANSFER_BYTES = 12;

/** Allows the transfer that repays the sponsor. `checkSponsoring` limits the amount. */
export const checkRepayment: InstructionCheck = (instruction, parties) => {
  if (parties.sponsor === null) {
    refuseInstruction(instruction, "it calls a program that is not part of a claim");
  }
  const { data } = instruction;
  if (data.length !== TRANSFER_BYTES || view(data).getUint32(0, true) !== TRANSFER) {
    refuseInstruction(instruction, "it does something other than transfer SOL");
  }
  const { from, to } = nameAccounts(instruction, "Transfer", ["from", "to"]);
  expectAccount(instruction, "Transfer's source", from, parties.agent, "the agent");
  expectAccount(instruction, "Transfer's destination", to, parties.sponsor, "the sponsor");
  return "prepares";
};

/**
 * Checks that a sponsored claim costs the agent at most the network fee: it keeps no account that it
 * makes, and repays at most the fee and the rent that the agent gets with its wrapped SOL.
 *
 * @param instructions of the claim, all of them checked
 * @returns null if the claim has no sponsor
 * @throws {ClaimCheckError} if it repays more, or more than once
 */
export function checkSponsoring(
  instructions: readonly ClaimInstruction[],
  { sponsor, wrappedSol }: Parties,
  { fee, created }: { fee: bigint; created: readonly CreatedAccount[] },
): ClaimSponsor | null {
  if (sponsor === null) return null;
  const [kept] = created;
  if (kept) refuseTransaction(`it keeps the account ${kept.address}, which its sponsor pays for`);
  // Each account is new, and none is kept, so this rent came from the sponsor.
  const getsRent = instructions.some(
    ({ program, accounts }) => program === ASSOCIATED_TOKEN_PROGRAM && accounts[1] === wrappedSol,
  );
  const most = fee + (getsRent ? TOKEN_ACCOUNT_BYTES * MOST_PER_BYTE : 0n);
  const [transfer, ...others] = instructions.filter(({ program }) => program === SYSTEM_PROGRAM);
  if (others[0]) refuseInstruction(others[0], "the sponsor is repaid twice");
  const repaidLamports = transfer ? view(transfer.data).getBigUint64(4, true) : 0n;
  if (transfer && repaidLamports > most) {
    const saw = `it repays ${repaidLamports} lamports to the sponsor, more than the ${most} that the sponsor pays`;
    refuseInstruction(transfer, saw);
  }
  const rent = repaidLamports > fee ? repaidLamports - fee : 0n;
  return {
    address: sponsor,
    repaidLamports,
    ...(rent > 0n && { account: { address: wrappedSol, lamports: rent } }),
  };
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
