import { PublicKey, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { payoutOf, payoutsOf, type TokenBalances } from "@tokenctl/shared/payout";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { Journal, SignedBytes } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type {
  HandedOut,
  LandedClaim,
  Receiver,
  Signed,
  TokenPayout,
} from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { findOutcome, readTip, type SentTransaction } from "../../solana/outcome.ts";
import { simulateSigned } from "../../solana/simulate.ts";
import { BEHIND, withRpcErrors } from "../chain/cluster.ts";
import { type ChainContext, hasWallet } from "../chain/context.ts";
import { readLaunchState } from "../chain/launch-state.ts";
import { finalOutcome, readFinished, spentBy, storeAndSend } from "../chain/transaction.ts";
import {
  AlreadyLaunchedError,
  BuildError,
  ChainUnavailableError,
  CreatorChangedError,
  ExpiredError,
  FailedLaunchError,
  LaunchRefusedError,
  NotAWalletError,
  RefusedError,
  UnaffordableError,
} from "../errors.ts";
import { buildOwnClaim, buildSponsoredClaim, cosignClaim, orWrappedSolProblem } from "./claim.ts";
import { compose, contradiction } from "./compose.ts";
import { readFunds } from "./funds.ts";
import { buildLaunch, checkLaunch, cosignLaunch } from "./paid-launch.ts";
import { isWallet } from "./payout.ts";
import { explain, open } from "./refusal.ts";

export type Signing = ReturnType<typeof signing>;

export interface BuildClaimOptions {
  readonly maySponsor?: () => Promise<boolean>;
  /** Default: legacy, as for everything that agents sign. */
  readonly transactionVersion?: TransactionVersion | undefined;
  /** With receivers, no claim is sponsored. */
  readonly receivers?: readonly Receiver[];
}

interface HandOverOrder {
  readonly agent: string;
  readonly token: TokenRef;
  readonly to: string;
  readonly transactionVersion?: TransactionVersion | undefined;
}

/**
 * Handles everything that an agent signs: `build…` composes a transaction, `check` simulates it
 * after the agent signed it, `cosign` adds the service's signatures, `submit` stores and sends it.
 */
export function signing(chain: ChainContext) {
  return {
    checkLaunch: (order: LaunchOrder) => checkLaunch(chain, order),

    /** Finds the token of a launch that is not known to be signed: a backup may be older. */
    findLaunched: ({ eventId }: LaunchOrder) =>
      findDeployed(chain, { tokens: [chain.program.addresses(eventId)] }, 0),

    buildLaunch: (order: LaunchOrder, version: TransactionVersion = "legacy") =>
      buildLaunch(chain, order, version),

    /** Builds one transaction that claims all fees of as many tokens as fit; null if there are none. */
    buildClaim(wallet: string, tokens: readonly TokenRef[], options: BuildClaimOptions = {}) {
      const { maySponsor, transactionVersion: version = "legacy", receivers = [] } = options;
      const order = { receivers, version, tokens, agent: new PublicKey(wallet) };
      const ownOrSponsored = async () => {
        try {
          return await buildOwnClaim(chain, order);
        } catch (error) {
          const isShort = error instanceof UnaffordableError && receivers.length === 0;
          if (!isShort || !hasWallet(chain)) throw error;
          const sponsored = (await maySponsor?.()) && (await buildSponsoredClaim(chain, order));
          if (sponsored) return sponsored;
          throw error;
        }
      };
      return orWrappedSolProblem(chain, order.agent, ownOrSponsored());
    },

    buildHandOver: (order: HandOverOrder) => buildHandOver(chain, order),

    check: (handedOut: HandedOut, signature: string | null) =>
      checkSigned(chain, handedOut, signature),

    /** Signs what was handed out: a sponsored claim, or a launch as its mint. @throws {ExpiredError} */
    cosign({ order, ...handedOut }: HandedOut): Promise<SignedBytes> {
      return order ? cosignLaunch(chain, { ...handedOut, order }) : cosignClaim(chain, handedOut);
    },

    submit: (signed: Signed, journal: Journal, signal: AbortSignal) =>
      submitSigned(chain, signed, { journal, signal }),

    finalOutcome: (sent: SentTransaction & { readonly agent: string }) => finalOutcome(chain, sent),
  };
}

export type UnsignedHandOver = Awaited<ReturnType<typeof buildHandOver>>;

async function buildHandOver(
  chain: ChainContext,
  { agent, token, to, transactionVersion: version = "legacy" }: HandOverOrder,
) {
  const receiver = new PublicKey(to);
  const [account] = await withRpcErrors(() => readAccounts(chain.connection, [receiver]));
  const isOfProgram = !PublicKey.isOnCurve(receiver) || (account && !isWallet(account));
  if (isOfProgram) throw new NotAWalletError("to");
  const payer = new PublicKey(agent);
  const instructions = await withRpcErrors(() => chain.program.handOver(agent, token, to)).catch(
    (error) => {
      if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError)
        throw error;
      const text = "The hand-over cannot be built from what is on chain";
      throw new BuildError("hand_over", text, error);
    },
  );
  const kind = "hand_over";
  const { rent } = await readFunds(chain, { kind, payer, instructions });
  const unsigned = await compose(chain, { kind, version, signers: [payer], instructions });
  /** `rent` is for the receiver's account, in lamports; the agent does not get it back. */
  return { ...unsigned, rent };
}

/**
 * Simulates what an agent signed, before the service stores or signs it. A refusal counts only if
 * the transaction has not landed, because the agent may have sent it itself, and if a second
 * simulation agrees, because a node may be behind.
 * @param signature the transaction's first, if that is the agent's
 */
async function checkSigned(
  chain: ChainContext,
  handedOut: HandedOut,
  signature: string | null,
): Promise<void> {
  const { kind, transaction, lastValidBlockHeight } = handedOut;
  const simulate = (minContextSlot?: number) =>
    withRpcErrors(() => simulateSigned(chain.connection, transaction, { minContextSlot }));
  const { error, logs, slot } = await simulate();
  if (error === null) return;
  if (signature !== null) {
    const sent = { signature, lastValidBlockHeight };
    const known = await withRpcErrors(() => findOutcome(chain.connection, sent));
    if (known?.kind === "expired") throw new ExpiredError(kind);
    if (known) return;
  }
  if (error === "BlockhashNotFound") {
    const { blockHeight } = await withRpcErrors(() => readTip(chain.connection));
    if (blockHeight > lastValidBlockHeight) throw new ExpiredError(kind);
    throw new ChainUnavailableError(BEHIND, error);
  }
  const again = await simulate(slot);
  if (JSON.stringify(again.error) !== JSON.stringify(error)) {
    throw contradiction(kind, error, open(handedOut).instructions);
  }
  if (kind === "launch") {
    const deployed = await findDeployed(chain, handedOut, slot);
    if (deployed !== null)
      throw deployed instanceof RefusedError ? deployed : new AlreadyLaunchedError(deployed);
  }
  throw await explain(chain, handedOut, { error, logs, isLanded: false });
}

/**
 * Stores what an agent signed, sends it and waits until it is confirmed. It is safe to call again:
 * it sends what the journal holds, and a transaction lands once.
 */
async function submitSigned(
  chain: ChainContext,
  signed: Signed,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<LandedClaim> {
  const { kind, agent, signature, transaction, lastValidBlockHeight } = signed;
  const bytes = { signature, transaction, lastValidBlockHeight };
  const sent = await storeAndSend(chain, bytes, { purpose: kind, journal, signal });
  const nothing = { signature: sent.sent.signature, paidLamports: 0n, payouts: [] };
  const failedLaunch = async (cause: Error, outcome: "failed" | "expired") =>
    new FailedLaunchError(cause, await spentBy(chain, sent.sent, { outcome, signal }));
  if (kind === "launch") {
    const { outcome } = sent;
    const deployed =
      outcome.kind === "landed"
        ? signed.tokens[0]
        : await findDeployed(chain, signed, outcome.slot);
    if (deployed instanceof RefusedError)
      throw await failedLaunch(deployed, outcome.kind === "failed" ? "failed" : "expired");
    if (deployed) {
      await chain.crashPoint?.("launch.landed");
      return nothing;
    }
  }
  const finished = await readFinished(chain, sent, { purpose: kind, signal });
  if (finished.kind === "expired") throw new ExpiredError(kind);
  const landedAs = { ...signed, ...sent.sent };
  if (finished.kind === "failed") {
    const failure = { error: finished.error, logs: [], isLanded: true };
    const failed = await explain(chain, landedAs, failure);
    throw kind === "launch" ? await failedLaunch(failed, "failed") : failed;
  }
  if (kind !== "claim") return nothing;
  const { meta } = finished;
  const payouts = claimPayouts(chain, landedAs, meta);
  return { ...nothing, paidLamports: payoutOf(meta, agent), payouts };
}

/**
 * Finds a launch's token on chain, which a restored database may have lost; null if there is none.
 * @returns {@link RefusedError} if its mint exists under another config: its token cannot be made
 */
async function findDeployed(
  chain: ChainContext,
  { tokens }: Pick<HandedOut, "tokens">,
  minContextSlot: number,
): Promise<TokenRef | RefusedError | null> {
  try {
    return (await readLaunchState(chain, tokens, { minContextSlot })).deployed;
  } catch (error) {
    if (!(error instanceof LaunchRefusedError)) throw error;
    return new RefusedError("launch", error.message, error);
  }
}

function claimPayouts(
  { program }: ChainContext,
  { agent, tokens, transaction }: HandedOut,
  balances: TokenBalances,
): TokenPayout[] {
  const { message } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  const payouts = tokens.map(({ tokenMint }) => ({
    tokenMint,
    bondingCurve: 0n,
    liquidityPool: 0n,
  }));
  for (const { accountIndex, lamports } of payoutsOf(balances, agent)) {
    const vault = message.staticAccountKeys[accountIndex];
    const source = vault && program.sourceOf(vault.toBase58(), tokens, instructions);
    const payout = payouts.find(({ tokenMint }) => tokenMint === source?.tokenMint);
    if (source && payout) payout[source.kind] += lamports;
  }
  return payouts;
}
