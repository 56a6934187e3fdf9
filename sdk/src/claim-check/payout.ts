import { splitByShares } from "@tokenctl/shared/shares";
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from "./addresses.ts";
import {
  type ClaimInstruction,
  expectAccount,
  type InstructionCheck,
  readExactly,
  refuseInstruction,
  refuseTransaction,
  tryRead,
} from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isTokenClose, isTransferToSelf } from "./programs.ts";
import type { ReceiverPayout } from "./terms.ts";

/** Allows transfers of the agent's SOL. `checkPayout` and `checkSponsoring` limit to whom, and how much. */
export const checkSystem: InstructionCheck = (instruction, parties) => {
  if (parties.sponsor === null && parties.receivers.length === 0) {
    refuseInstruction(instruction, "it calls a program that is not part of a claim");
  }
  if (tryRead(instruction)?.name !== "Transfer") {
    refuseInstruction(instruction, "it does something other than transfer SOL");
  }
  const { from = "" } = readExactly(instruction).accounts;
  expectAccount(instruction, "Transfer's source", from, parties.agent, "the agent");
  return null;
};

/** @returns to whom a checked transfer of SOL or wrapped SOL pays how much */
export function readTransfer(instruction: ClaimInstruction) {
  const { accounts, args } = readExactly(instruction);
  return { to: accounts.to ?? "", lamports: (args.lamports ?? args.amount) as bigint };
}

/**
 * The order of a claim with receivers: unwrap (C) what the agent's account for wrapped SOL may hold, make (M) it
 * again, take fees (F) into it, prove (P) what it holds, unwrap that, and transfer (S). So all that the proof counts
 * comes from the fees: nothing else is in the account, and nothing can be put into it.
 */
const ORDER = /^C?MF+PCS*$/;

/**
 * Checks that a claim pays its receivers by their shares, and no lamport that the wallet had before. What it
 * pays together is not known from its bytes, but it transfers that much from the account for wrapped SOL to
 * the same account, which the token program refuses if it holds less.
 *
 * @param instructions of the claim, all of them checked
 * @returns the receivers with what they get; those transfers are not the sponsor's repayment, all others are
 * @throws {CheckError} if it pays another wallet, another amount, or in another order
 */
export function checkPayout(
  instructions: readonly ClaimInstruction[],
  parties: Parties,
  { feePayouts, fee }: { feePayouts: readonly ClaimInstruction[]; fee: bigint },
) {
  const transfers = instructions.filter(({ program }) => program === SYSTEM_PROGRAM);
  const { receivers, agent, sponsor } = parties;
  if (receivers.length === 0) return { paid: [], repayments: transfers };
  const letters = instructions.map((one) =>
    feePayouts.includes(one) ? "F" : letterOf(one, parties),
  );
  const proof = instructions[letters.indexOf("P")];
  if (!proof || !ORDER.test(letters.join(""))) {
    refuseTransaction(
      "it does not make the account for wrapped SOL, take fees into it, prove what it holds, unwrap that and pay the receivers, in this order",
    );
  }
  // A sponsor's network fee comes out of the fees too.
  const total = readTransfer(proof).lamports - (sponsor === null ? 0n : fee);
  if (total <= 0n) refuseInstruction(proof, "it pays its receivers nothing");
  const shares = receivers.map(({ share }) => share);
  const amounts = splitByShares(total, shares);
  const paid = receivers.map(
    ({ address }, index): ReceiverPayout => ({ address, lamports: amounts[index] ?? 0n }),
  );
  const expected = paid.filter(({ address }) => address !== agent);
  for (const [index, { address, lamports }] of expected.entries()) {
    const transfer = transfers[index];
    if (!transfer) refuseTransaction(`it does not pay ${lamports} lamports to ${address}`);
    const seen = readTransfer(transfer);
    if (seen.to !== address || seen.lamports !== lamports) {
      const saw = `it pays ${seen.lamports} lamports to ${seen.to} instead of ${lamports} to ${address}`;
      refuseInstruction(transfer, saw);
    }
  }
  return { paid, repayments: transfers.slice(expected.length) };
}

/** @returns what an instruction does with the account for wrapped SOL or the agent's SOL; empty for nothing */
function letterOf(instruction: ClaimInstruction, { wrappedSol }: Parties): string {
  const { program, accounts, data } = instruction;
  if (program === SYSTEM_PROGRAM) return "S";
  if (isTransferToSelf(instruction)) return "P";
  if (isTokenClose(instruction)) return accounts[0] === wrappedSol ? "C" : "";
  if (!accounts.includes(wrappedSol)) return "";
  // Only Create, which is 0 or no data, refuses an account that is there already.
  return program === ASSOCIATED_TOKEN_PROGRAM && (data[0] ?? 0) === 0 ? "M" : "?";
}
