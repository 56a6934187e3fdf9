import { ASSOCIATED_TOKEN_PROGRAM } from "./addresses.ts";
import { MOST_PER_BYTE, TOKEN_ACCOUNT_BYTES } from "./cost.ts";
import {
  type ClaimInstruction,
  expectAccount,
  refuseInstruction,
  refuseTransaction,
} from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { readTransfer } from "./payout.ts";
import type { ClaimSponsor, CreatedAccount } from "./terms.ts";

const NOTHING = { to: "", lamports: 0n };

/**
 * Checks that a sponsored claim costs the agent at most the network fee: it keeps no account that
 * it makes, and repays at most the fee and the rent that the agent gets with its wrapped SOL.
 *
 * @param given the network fee, the accounts that remain, and the transfers that pay no receiver
 * @returns null if the claim has no sponsor
 * @throws {CheckError} if it repays more, or more than once
 */
export function checkSponsoring(
  instructions: readonly ClaimInstruction[],
  { sponsor, wrappedSol }: Parties,
  {
    fee,
    created,
    repayments: [transfer, ...others],
  }: {
    fee: bigint;
    created: readonly CreatedAccount[];
    repayments: readonly ClaimInstruction[];
  },
): ClaimSponsor | null {
  if (sponsor === null) {
    if (transfer) refuseInstruction(transfer, "it transfers SOL to none of the receivers");
    return null;
  }
  const [kept] = created;
  if (kept) refuseTransaction(`it keeps the account ${kept.address}, which its sponsor pays for`);
  // Each account is new and none remains, so the sponsor paid this rent.
  const getsRent = instructions.some(
    ({ program, accounts }) => program === ASSOCIATED_TOKEN_PROGRAM && accounts[1] === wrappedSol,
  );
  const most = fee + (getsRent ? TOKEN_ACCOUNT_BYTES * MOST_PER_BYTE : 0n);
  if (others[0]) refuseInstruction(others[0], "the sponsor is repaid twice");
  const { to, lamports: repaidLamports } = transfer ? readTransfer(transfer) : NOTHING;
  if (transfer) expectAccount(transfer, "Transfer's destination", to, sponsor, "the sponsor");
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
