import { ASSOCIATED_TOKEN, SYSTEM } from "@tokenctl/shared/programs/ids";
import { system } from "@tokenctl/shared/programs/solana";
import { splitByShares } from "@tokenctl/shared/shares";
import { builder } from "../internal/program-address.ts";
import {
  type ClaimInstruction,
  expectSame,
  type InstructionCheck,
  refuseInstruction,
  refuseTransaction,
  tryRead,
} from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isTokenClose, isTransferToSelf } from "./programs.ts";
import type { ReceiverPayout } from "./terms.ts";

/** Allows transfers of the agent's SOL; `checkPayout` and `checkSponsoring` limit each of them. */
export const checkSystem: InstructionCheck = (instruction, parties) => {
  if (parties.sponsor === null && parties.receivers.length === 0) {
    refuseInstruction(instruction, "it calls a program that is not part of a claim");
  }
  const read = tryRead(instruction);
  if (read?.name !== "Transfer") {
    refuseInstruction(instruction, "it does something other than transfer SOL");
  }
  const given = { from: parties.agent, to: read.accounts.to ?? "" };
  const wanted = builder.build(system, "Transfer", given, { lamports: 0n });
  expectSame(instruction, { ...wanted, data: instruction.data });
  return null;
};

export function readTransfer(instruction: ClaimInstruction) {
  const read = tryRead(instruction);
  const lamports = (read?.args.lamports ?? read?.args.amount ?? 0n) as bigint;
  return { to: read?.accounts.to ?? "", lamports };
}

/**
 * The order of a claim with receivers. It closes (C) the agent's account for wrapped SOL if there
 * is one, makes (M) it again, takes fees (F) into it, proves (P) what it holds, closes it, and
 * transfers SOL (S). In this order the account holds nothing but fees when it is proved.
 */
const ORDER = /^C?MF+PCS*$/;

/**
 * Checks that a claim pays its receivers by their shares, and no lamport that the wallet had
 * before. The bytes do not show how much the fees are. The claim proves it with a transfer from the
 * account for wrapped SOL to itself, which the token program refuses if the account holds less.
 * Returns the receivers with what they get, and all other transfers.
 */
export function checkPayout(
  instructions: readonly ClaimInstruction[],
  parties: Parties,
  feePayouts: readonly ClaimInstruction[],
) {
  const transfers = instructions.filter(({ program }) => program === SYSTEM);
  const { receivers, agent, sponsor } = parties;
  if (receivers.length === 0) return { paid: [], repayments: transfers };
  if (sponsor !== null) refuseTransaction("it has a sponsor, although it pays receivers");
  const letters = instructions.map((one) =>
    feePayouts.includes(one) ? "F" : letterOf(one, parties),
  );
  const proof = instructions[letters.indexOf("P")];
  if (!proof || !ORDER.test(letters.join(""))) {
    refuseTransaction(
      "it does not make the account for wrapped SOL, take fees into it, prove what it holds, unwrap that and pay the receivers, in this order",
    );
  }
  const total = readTransfer(proof).lamports;
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

/** Returns the letter of an instruction in `ORDER`; empty if it touches neither account nor SOL. */
function letterOf(instruction: ClaimInstruction, { wrappedSol }: Parties): string {
  const { program, accounts, data } = instruction;
  if (program === SYSTEM) return "S";
  if (isTransferToSelf(instruction)) return "P";
  if (isTokenClose(instruction)) return accounts[0] === wrappedSol ? "C" : "";
  if (!accounts.includes(wrappedSol)) return "";
  // Only Create, whose data is 0 or empty, refuses an account that exists already.
  return program === ASSOCIATED_TOKEN && (data[0] ?? 0) === 0 ? "M" : "?";
}
