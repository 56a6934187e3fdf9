import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { MAX_UNITS, unitLimit, unitPrice } from "../../solana/compute-budget.ts";
import { LAMPORTS_PER_SIGNATURE, priorityLamports } from "../../solana/priority-fee.ts";
import { simulate } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { signWith } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError, ClaimBuildError, ClaimExpiredError } from "../errors.ts";
import type { CosignedClaim, TokenRef, UnsignedClaim } from "../launchpad.ts";
import { readRents } from "./claim-funds.ts";
import {
  claimBid,
  claimUnits,
  draftClaim,
  MAX_FEE_LAMPORTS,
  PERCENTILE,
  serializeClaim,
} from "./claim-message.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors, withSignerErrors } from "./rpc-errors.ts";

/** The signatures of the launch wallet and the agent. */
const SIGNATURES = 2;
const SIGNATURE_LAMPORTS = BigInt(SIGNATURES) * LAMPORTS_PER_SIGNATURE;

/** The tag of SPL Token's CloseAccount. */
const CLOSE_ACCOUNT = 9;

/**
 * Builds a claim of an agent that cannot pay: the launch wallet pays the network fee and the rents,
 * and the agent repays, with the last instruction, all of it that does not come back by itself.
 *
 * @returns null if the fees do not cover the repayment, or the launch wallet cannot pay
 * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
 */
export async function buildSponsoredClaim(
  chain: ChainContext,
  agent: string,
  tokens: readonly TokenRef[],
): Promise<UnsignedClaim | null> {
  const wallet = new PublicKey(agent);
  const sponsor = chain.wallet.publicKey;
  if (wallet.equals(sponsor)) return null;
  const draft = await draftClaim(chain, wallet, tokens, sponsor);
  if (draft === null) return null;
  const { instructions } = draft;
  const { created } = await readRents(chain, sponsor, instructions);
  const rent = created
    .filter(({ address }) => closesTo(instructions, address, wallet))
    .reduce((sum, account) => sum + account.rent, 0n);
  const repay = (fee: bigint) =>
    SystemProgram.transfer({ fromPubkey: wallet, toPubkey: sponsor, lamports: rent + fee });
  const bid = await withRpcErrors(() => chain.fees.bid(PERCENTILE));
  const priceOf = (units: number) => claimBid(chain, bid, units, SIGNATURES);
  // The fee follows from the simulation, so this simulates the highest.
  const highestFee = priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : SIGNATURE_LAMPORTS;
  const simulation = await withRpcErrors(() =>
    simulate(chain.connection, sponsor, [unitLimit(MAX_UNITS), ...instructions, repay(highestFee)]),
  );
  const { error, logs } = simulation;
  if (error !== null && classifyError(error, logs) === "later") {
    const reason = describeError(error);
    throw new ChainUnavailableError(`The cluster cannot take the claim now (${reason})`, error);
  }
  if (error !== null || chain.guard.isUnderFloor(simulation.payerLamports)) return null;
  const units = claimUnits(chain, simulation);
  const price = priceOf(units);
  const fee = SIGNATURE_LAMPORTS + priorityLamports(price, units);
  const all = [unitLimit(units), ...unitPrice(price), ...instructions, repay(fee)];
  try {
    const claim = serializeClaim([sponsor, wallet], simulation, all);
    return { ...claim, tokens: draft.tokens, repaidLamports: rent + fee };
  } catch (fault) {
    if (fault instanceof ClaimBuildError) return null;
    throw fault;
  }
}

/** See `Launchpad.cosignClaim`. */
export async function cosignClaim(
  { wallet }: ChainContext,
  transaction: Uint8Array,
): Promise<CosignedClaim> {
  const claim = VersionedTransaction.deserialize(transaction);
  const [feePayer] = claim.message.staticAccountKeys;
  if (!feePayer?.equals(wallet.publicKey)) {
    throw new ClaimExpiredError("The launch wallet has changed since the claim was built");
  }
  await withSignerErrors(() => signWith(wallet, claim, "claim"));
  return {
    transaction: claim.serialize(),
    signature: bs58.encode(claim.signatures[0] ?? new Uint8Array()),
  };
}

/** Whether one of the instructions closes an account to this wallet. */
function closesTo(
  instructions: readonly TransactionInstruction[],
  account: PublicKey,
  wallet: PublicKey,
): boolean {
  return instructions.some(
    ({ programId, keys: [closed, destination], data }) =>
      [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].some((id) => id.equals(programId)) &&
      data[0] === CLOSE_ACCOUNT &&
      closed?.pubkey.equals(account) &&
      destination?.pubkey.equals(wallet),
  );
}
