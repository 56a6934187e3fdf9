import {
  ASSOCIATED_TOKEN,
  COMPUTE_BUDGET,
  DAMM_V2,
  DBC,
  SYSTEM,
  TOKEN,
  TOKEN_2022,
} from "@tokenctl/shared/programs/ids";
import {
  boundedFee,
  createdAccounts,
  MOST_PER_BYTE,
  sumOfRents,
  TOKEN_ACCOUNT_BYTES,
} from "./cost.ts";
import {
  type ClaimInstruction,
  type ClaimMessage,
  type InstructionCheck,
  isMark,
  readUnsignedMessage,
  refuseInstruction,
  refuseTransaction,
} from "./instruction.ts";
import { isOfAgent, type KnownParties, type Parties, partiesOf } from "./parties.ts";
import { checkPayout, checkSystem, readTransfer } from "./payout.ts";
import {
  checkAssociatedToken,
  checkDammV2,
  checkDbc,
  checkToken,
  checkToken2022,
} from "./programs.ts";
import type { ClaimCost, ClaimSponsor, ClaimTerms, CreatedAccount } from "./terms.ts";

/** Every program that a claim may call. Any other is refused. */
const checks: Readonly<Record<string, InstructionCheck>> = {
  // `networkFee` checks these instructions together.
  [COMPUTE_BUDGET]: () => null,
  [ASSOCIATED_TOKEN]: checkAssociatedToken,
  [TOKEN]: checkToken,
  [TOKEN_2022]: checkToken2022,
  [SYSTEM]: checkSystem,
  [DBC]: checkDbc,
  [DAMM_V2]: checkDammV2,
};

export function checkTransaction(transaction: Uint8Array, terms: ClaimTerms): ClaimCost {
  const agents = partiesOf(terms);
  const message = readUnsignedMessage(transaction);
  const isMarked = message.instructions.some(isMark);
  const parties: Parties = { ...agents, isMarked, sponsor: sponsorOf(message, agents) };
  const tokenMints = new Set<string>();
  const feePayouts = message.instructions.filter((instruction) => {
    const check = checks[instruction.program];
    if (!check) refuseInstruction(instruction, "it calls a program that is not part of a claim");
    const mint = check(instruction, parties);
    if (mint !== null) tokenMints.add(mint);
    return mint !== null;
  });
  if (feePayouts.length === 0) refuseTransaction("it takes no fees");
  const fee = boundedFee(message, terms);
  const created = createdAccounts(message.instructions, feePayouts, parties);
  const { paid, repayments } = checkPayout(message.instructions, parties, feePayouts);
  const sponsor = checkSponsoring(message.instructions, parties, { fee, created, repayments });
  return {
    tokenMints: [...tokenMints],
    networkFeeLamports: fee,
    rentLamports: sumOfRents(sponsor?.account ? [...created, sponsor.account] : created),
    createdAccounts: created,
    ...(sponsor && { sponsor }),
    ...(paid.length > 0 && { receivers: paid }),
  };
}

/** Returns the sponsor, who signs first and pays the network fee; null if the agent signs alone. */
function sponsorOf({ signers }: ClaimMessage, parties: KnownParties): string | null {
  const { agent } = parties;
  const [feePayer = "", second] = signers;
  if (signers.length === 1) {
    if (feePayer === agent) return null;
    return refuseTransaction(`its fee payer is ${feePayer} instead of the agent (${agent})`);
  }
  if (signers.length !== 2 || second !== agent || isOfAgent(parties, feePayer)) {
    const saw = `its signers are ${signers.join(" and ")}`;
    refuseTransaction(`${saw} instead of the agent (${agent}), alone or after a sponsor`);
  }
  return feePayer;
}

interface Advance {
  readonly fee: bigint;
  readonly created: readonly CreatedAccount[];
  readonly repayments: readonly ClaimInstruction[];
}

/** It may repay at most the network fee and the rent that the agent gets with its wrapped SOL. */
function checkSponsoring(
  instructions: readonly ClaimInstruction[],
  { sponsor, wrappedSol }: Parties,
  { fee, created, repayments }: Advance,
): ClaimSponsor | null {
  const [transfer, ...others] = repayments;
  if (sponsor === null) {
    if (transfer) refuseInstruction(transfer, "it transfers SOL to none of the receivers");
    return null;
  }
  const [kept] = created;
  if (kept) refuseTransaction(`it keeps the account ${kept.address}, which its sponsor pays for`);
  // Each account is new and none remains, so the sponsor paid this rent.
  const getsRent = instructions.some(
    ({ program, accounts }) => program === ASSOCIATED_TOKEN && accounts[1] === wrappedSol,
  );
  const most = fee + (getsRent ? TOKEN_ACCOUNT_BYTES * MOST_PER_BYTE : 0n);
  if (others[0]) refuseInstruction(others[0], "the sponsor is repaid twice");
  let repaidLamports = 0n;
  if (transfer) {
    const { to, lamports } = readTransfer(transfer);
    if (to !== sponsor) {
      refuseInstruction(transfer, `it repays ${to} instead of the sponsor (${sponsor})`);
    }
    if (lamports > most) {
      const saw = `it repays ${lamports} lamports to the sponsor, more than the ${most} that the sponsor pays`;
      refuseInstruction(transfer, saw);
    }
    repaidLamports = lamports;
  }
  const rent = repaidLamports > fee ? repaidLamports - fee : 0n;
  return {
    address: sponsor,
    repaidLamports,
    ...(rent > 0n && { account: { address: wrappedSol, lamports: rent } }),
  };
}
