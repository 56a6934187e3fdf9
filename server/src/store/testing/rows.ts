import type { NewAttempt } from "../../domain/journal.ts";
import { sharesOf } from "../../domain/shares.ts";
import type { HandedOutLaunch } from "../../domain/signing.ts";
import type { ImageBounds } from "../images.ts";
import type { NewLaunch } from "../launch-row.ts";
import type { ClaimPayment } from "../prepared.ts";
import type { DueWebhooks, NewWebhook } from "../webhooks.ts";

/** A launch to store, by default of the wallet `agent`. */
export function newLaunch(ticker: string, other: Partial<NewLaunch> = {}): NewLaunch {
  return {
    eventId: crypto.randomUUID(),
    wallet: "agent",
    name: `${ticker} token`,
    ticker,
    description: null,
    imageUrl: null,
    website: null,
    twitter: null,
    telegram: null,
    imageHash: null,
    createdAt: 0,
    requestHash: null,
    address: null,
    ...other,
  };
}

export const WHOLE_LIST = { limit: null, before: null };

export const UNBOUNDED_IMAGES: ImageBounds = {
  maxOfAgent: Number.POSITIVE_INFINITY,
  space: sharesOf(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, { address: 0, network: 0 }),
};

/** A webhook to store, by default of the wallet `agent` and for events to come. */
export function newWebhook(id: string, other: Partial<NewWebhook> = {}): NewWebhook {
  const host = `${id.replaceAll(" ", "-")}.example`;
  const key = new Uint8Array(32).fill(1);
  return {
    id,
    wallet: "agent",
    url: `https://${host}/`,
    host,
    createdAt: 0,
    key,
    after: null,
    ...other,
  };
}

/** Finds webhooks with anything to send, at most nine. */
export function dueWebhooks(other: Partial<DueWebhooks> = {}): DueWebhooks {
  return {
    ...{ which: "all", limit: 9 },
    ...{ full: { wallets: [], paces: [], hosts: [] }, admits: () => true, ...other },
  };
}

export function newPaid(signature: string, lamports: bigint, at: number): ClaimPayment {
  const payouts = [{ tokenMint: "mint-ONE", bondingCurve: lamports, liquidityPool: 0n }];
  return { signature, paidLamports: lamports, payouts, at };
}

export function newAttempt(ticker: string): NewAttempt {
  return {
    tokenMint: `mint-${ticker}`,
    poolAddress: `pool-${ticker}`,
    signature: `signature-${ticker}`,
    transaction: Uint8Array.of(1, 2, 3),
    lastValidBlockHeight: 150,
    terms: {
      config: `config-${ticker}`,
      fees: {
        bondingCurve: { startBps: 200, endBps: 100, creatorSharePercent: 80 },
        liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 70 },
      },
      curve: [
        { raisedSOL: 0, priceSOL: 0.00000003 },
        { raisedSOL: 85, priceSOL: 0.0000003 },
      ],
    },
  };
}

export function newHandedOut(ticker: string): HandedOutLaunch {
  const { tokenMint, poolAddress, terms } = newAttempt(ticker);
  return { tokenMint, poolAddress, terms, agentLamports: "25000000" };
}
