import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "./addresses.ts";
import { checkAssociatedToken } from "./associated-token.ts";
import type { InstructionCheck } from "./instruction.ts";
import { refuseInstruction } from "./instruction.ts";
import { readUnsignedMessage, refuseTransaction } from "./message.ts";
import { checkDammV2, checkDbc } from "./meteora.ts";
import { networkFee } from "./network-fee.ts";
import { partiesOf } from "./parties.ts";
import { createdAccounts } from "./rent.ts";
import type { ClaimCost, ClaimTerms } from "./terms.ts";
import { checkToken, checkToken2022, isTokenTransfer } from "./token.ts";

/** An unset blockhash is 32 zero bytes, which is also this address. */
const EMPTY_BLOCKHASH = SYSTEM_PROGRAM;

/** Every program that a claim may call. Any other is refused. */
const checks: Readonly<Record<string, InstructionCheck>> = {
  // `networkFee` reads its instructions together.
  [COMPUTE_BUDGET_PROGRAM]: () => "prepares",
  [ASSOCIATED_TOKEN_PROGRAM]: checkAssociatedToken,
  [TOKEN_PROGRAM]: checkToken,
  [TOKEN_2022_PROGRAM]: checkToken2022,
  [DBC_PROGRAM]: checkDbc,
  [DAMM_V2_PROGRAM]: checkDammV2,
};

/** Checks the transaction as a whole, then every instruction. See `checkClaimTransaction`. */
export function checkTransaction(transaction: Uint8Array, terms: ClaimTerms): ClaimCost {
  const parties = partiesOf(terms);
  const message = readUnsignedMessage(transaction);
  if (message.requiredSigners !== 1) {
    refuseTransaction(`it requires ${message.requiredSigners} signers instead of the agent alone`);
  }
  if (message.feePayer !== parties.agent) {
    refuseTransaction(
      `its fee payer is ${message.feePayer} instead of the agent (${parties.agent})`,
    );
  }
  if (message.blockhash === EMPTY_BLOCKHASH) refuseTransaction("it has no recent blockhash");
  const feePayouts = message.instructions.filter((instruction) => {
    const check = checks[instruction.program];
    if (!check) refuseInstruction(instruction, "a program that is no part of a claim is called");
    return check(instruction, parties) === "takes fees";
  });
  if (feePayouts.length === 0) refuseTransaction("it takes no fees");
  const fee = networkFee(message.instructions);
  if (fee > terms.maxNetworkFeeLamports) {
    refuseTransaction(
      `it costs ${fee} lamports of network fee, more than the ${terms.maxNetworkFeeLamports} allowed`,
    );
  }
  const created = createdAccounts(message.instructions, feePayouts, parties);
  return {
    networkFeeLamports: fee,
    rentLamports: created.reduce((sum, { lamports }) => sum + lamports, 0n),
    createdAccounts: created,
  };
}

/** See `needsSandboxPool`. */
export function hasTransfer(transaction: Uint8Array): boolean {
  return readUnsignedMessage(transaction).instructions.some(isTokenTransfer);
}
