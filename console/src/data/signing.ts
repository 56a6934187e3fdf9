import {
  type AgentLaunchOptions,
  type ClaimCost,
  type ClaimOptions,
  type ClaimOutcome,
  type ClaimRecord,
  type LaunchCheck,
  type LaunchCost,
  type LaunchRequest,
  SignerError,
} from "@tokenctl/sdk";
import { decodeBase58 } from "@tokenctl/shared/base58";
import { claimableOf, sum } from "./earnings.ts";
import { Asking, currentSession, type Session, store, stored } from "./shared.ts";

export interface LaunchQuestion {
  readonly kind: "launch";
  readonly ticker: string;
  readonly cost: LaunchCost;
}

export interface ClaimQuestion {
  readonly kind: "claim";
  readonly tickers: readonly string[];
  /** Lamports that were claimable when the list was read. */
  readonly claimable: bigint;
  readonly cost: ClaimCost;
}

interface Confirmation {
  readonly kind: "confirm";
  readonly title: string;
  readonly text: string;
  readonly yes: string;
}

type Asked = ClaimQuestion | LaunchQuestion | Confirmation;

/** Who is asked. Once that session is over, {@link Question} answers "no". */
export type Of = Readonly<Record<"session", Session | null | undefined>>;

export const question = new Asking<Asked & Of>();

export const confirmed = (asked: Omit<Confirmation, "kind">): Promise<boolean> =>
  question.ask({ kind: "confirm", session: currentSession.value, ...asked });

/** The person declined before the wallet was asked. */
export class Declined extends Error {
  override readonly name = "Declined";

  constructor() {
    super("You declined; nothing was signed");
  }
}

/** Shows what a transaction does. @throws {Declined} for the SDK's `approve` */
export async function approve(session: Session, asked: Asked): Promise<void> {
  if (!(await question.ask({ ...asked, session }))) throw new Declined();
}

/** The browser's key for a wallet's payout address. A service that stored it could redirect it. */
const keyOf = (wallet: string) => `tokend.payout.${wallet}`;

/** Returns the wallet that receives this one's claims; undefined if the wallet keeps them. */
export function payoutAddress(wallet: string): string | undefined {
  const kept = stored(keyOf(wallet));
  return kept !== null && isAddress(kept) ? kept : undefined;
}

export const removePayoutAddress = (wallet: string) => localStorage.removeItem(keyOf(wallet));

/** @throws {Error} with a sentence for people if the address is not another wallet's */
export async function setPayoutAddress(
  wallet: string,
  address: string,
  isToken: (address: string) => Promise<boolean>,
): Promise<void> {
  if (!isAddress(address)) throw new Error("This is not the address of a wallet");
  if (address === wallet) throw new Error("This is your own wallet, which gets the fees anyway");
  if (await isToken(address)) throw new Error("This is a token's address, not a wallet's");
  localStorage.setItem(keyOf(wallet), address);
}

const isAddress = (text: string) => decodeBase58(text, 32) !== null;

/** Returns the options to claim tokens: the person confirms what each transaction does. */
export function claimingOf(session: Session, records: readonly ClaimRecord[]): ClaimOptions {
  return {
    to: payoutAddress(session.address),
    approve(cost) {
      // The server takes as many of the tokens as fit in a transaction.
      const taken = records.filter(({ tokenMint }) => cost.tokenMints.includes(tokenMint));
      const tickers = taken.map(({ ticker }) => ticker);
      const claimable = sum(taken.map(claimableOf));
      return approve(session, { kind: "claim", tickers, claimable, cost });
    },
  };
}

/**
 * Claims all tokens. Stops if the person or the wallet declines.
 * @returns the claims that failed
 */
export async function claimAll(
  session: Session,
  records: readonly ClaimRecord[],
): Promise<readonly Extract<ClaimOutcome, { readonly kind: "failed" }>[]> {
  const stopAt = (error: unknown) => error instanceof Declined || error instanceof SignerError;
  const { outcomes } = await session.client.claimAll({ ...claimingOf(session, records), stopAt });
  return outcomes.filter((one) => one.kind === "failed");
}

/** A launch that this page has sent, and the payment that the check showed. */
export interface SentLaunch {
  readonly request: LaunchRequest;
  readonly payment: LaunchCheck["payment"];
}

/** SOL allowed beyond the check's cost: without a node, the SDK assumes the maximum rent. */
const MARGIN_SOL = 0.1;

/** Returns the options to sign a launch that the wallet pays for, once its person confirms it. */
export function signingOf(session: Session, { request, payment }: SentLaunch): AgentLaunchOptions {
  const { payer, ticker } = request;
  if (payer !== "agent") return {};
  return {
    // The page reads no node, so it trusts the service about the config and its cost.
    expectedConfig: payment?.config ?? undefined,
    maxCostSOL: payment ? payment.costSOL.total + MARGIN_SOL : undefined,
    async approve({ costSOL: cost }) {
      keepLaunch({ request, payment });
      await approve(session, { kind: "launch", ticker, cost });
    },
  };
}

const KEPT = "tokend.launches";

/** Returns a launch that its wallet may still have to sign, if this browser has sent it. */
export const keptLaunch = (ticker: string) =>
  keptLaunches().find((of) => of.request.ticker === ticker);

/** Keeps a launch so that a reloaded page can also sign it. */
export function keepLaunch(sent: SentLaunch): void {
  const others = keptLaunches().filter((of) => of.request.ticker !== sent.request.ticker);
  store(KEPT, JSON.stringify([...others, sent].slice(-20)));
}

const keptLaunches = (): SentLaunch[] => JSON.parse(stored(KEPT) ?? "[]");
