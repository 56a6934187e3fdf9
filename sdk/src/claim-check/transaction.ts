import * as programs from "./addresses.ts";
import { boundedFee, createdAccounts, sumOfRents } from "./cost.ts";
import {
  type ClaimMessage,
  type InstructionCheck,
  readUnsignedMessage,
  refuseInstruction,
  refuseTransaction,
} from "./instruction.ts";
import type { KnownParties, Parties } from "./parties.ts";
import { isOfAgent, partiesOf } from "./parties.ts";
import { checkPayout, checkSystem } from "./payout.ts";
import {
  checkAssociatedToken,
  checkDammV2,
  checkDbc,
  checkToken,
  checkToken2022,
} from "./programs.ts";
import { isMark } from "./sandbox.ts";
import { checkSponsoring } from "./sponsor.ts";
import type { ClaimCost, ClaimTerms } from "./terms.ts";

/** Every program that a claim may call. Any other is refused. */
const checks: Readonly<Record<string, InstructionCheck>> = {
  // `networkFee` checks these instructions together.
  [programs.COMPUTE_BUDGET_PROGRAM]: () => null,
  [programs.ASSOCIATED_TOKEN_PROGRAM]: checkAssociatedToken,
  [programs.TOKEN_PROGRAM]: checkToken,
  [programs.TOKEN_2022_PROGRAM]: checkToken2022,
  [programs.SYSTEM_PROGRAM]: checkSystem,
  [programs.DBC_PROGRAM]: checkDbc,
  [programs.DAMM_V2_PROGRAM]: checkDammV2,
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
  const { paid, repayments } = checkPayout(message.instructions, parties, { feePayouts, fee });
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
