import { Database } from "bun:sqlite";
import { NATIVE_MINT } from "@solana/spl-token";
import type { Connection, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import bs58 from "bs58";
import { payoutOf } from "../../server/src/solana/payout.ts";
import type { Ledger, SignedClaim } from "./agents.ts";

/** What comparing the service's books with the chain found. */
export interface Books {
  readonly launchesAccepted: number;
  /** Accepted launches that the service does not know any more. */
  readonly lost: number;
  /** Launches that did not come to rest. */
  readonly stuck: number;
  /** Launches that ended otherwise than with a token. */
  readonly unsuccessful: number;
  /** Mints on chain beyond one for each launch, those included whose 200 was cut off. */
  readonly deployedTwice: number;
  readonly claimsSigned: number;
  readonly claimsConfirmed: number;
  /** Claims whose answer, or lack of one, is not what the chain did. */
  readonly claimsRecordedWrong: number;
}

/** How long launches may take to come to rest after the last start, in milliseconds. */
const SETTLE_MS = 30_000;

/**
 * Waits until the service is at rest, and compares what it says with what the chain did.
 *
 * @param launchWallet the wallet whose transactions made the mints
 * @param database the service's database file
 */
export async function compareBooks(
  server: { readonly url: string },
  chain: Connection,
  launchWallet: PublicKey,
  ledger: Ledger,
  database: string,
): Promise<Books> {
  let lost = 0;
  let stuck = 0;
  let unsuccessful = 0;
  const deadline = performance.now() + SETTLE_MS;
  for (const { agent, eventId } of ledger.launches) {
    agent.server = server;
    await agent.signIn();
    const { status } = await agent.get(`/api/v1/tokens/launch/status/${eventId}`);
    if (status !== 200) {
      lost += 1;
      continue;
    }
    const settled = await Promise.race([
      agent.settled(eventId),
      Bun.sleep(Math.max(0, deadline - performance.now())),
    ]);
    if (!settled) stuck += 1;
    else if (settled.status !== "success") unsuccessful += 1;
  }
  const { launches, pending } = await atRest(database, deadline);
  const claimsRecordedWrong = await countWrongClaims(server, chain, ledger.claims);
  return {
    launchesAccepted: ledger.launches.length,
    lost,
    stuck: stuck + pending,
    unsuccessful,
    deployedTwice: (await countMints(chain, launchWallet)) - launches,
    claimsSigned: ledger.claims.length,
    claimsConfirmed: ledger.claims.filter(({ answer }) => answer !== null).length,
    claimsRecordedWrong,
  };
}

/** Waits until no launch is pending, those included whose agent never heard of them. */
async function atRest(path: string, deadline: number) {
  const database = new Database(path, { readonly: true });
  try {
    const query = database.query<{ launches: number; pending: number }, []>(
      "select count(*) as launches, count(*) filter (where status = 'pending') as pending from launches",
    );
    for (;;) {
      const counts = query.get() ?? { launches: 0, pending: 0 };
      if (counts.pending === 0 || performance.now() > deadline) return counts;
      await Bun.sleep(50);
    }
  } finally {
    database.close();
  }
}

/** Mints that the launch wallet's transactions made, whoever knows of them. */
async function countMints(chain: Connection, launchWallet: PublicKey): Promise<number> {
  const mints = new Set<string>();
  let before: string | undefined;
  for (;;) {
    const page = await chain.getSignaturesForAddress(launchWallet, {
      limit: 1000,
      ...(before !== undefined && { before }),
    });
    for (const { signature, err } of page) {
      if (err !== null) continue;
      const landed = await chain.getTransaction(signature, { commitment: "confirmed" });
      for (const { mint } of landed?.meta?.postTokenBalances ?? []) mints.add(mint);
    }
    before = page.at(-1)?.signature;
    if (page.length < 1000) break;
  }
  mints.delete(NATIVE_MINT.toBase58());
  return mints.size;
}

/** Sends every claim once more: an answer must be the chain's, and no answer means that none landed. */
async function countWrongClaims(
  server: { readonly url: string },
  chain: Connection,
  claims: readonly SignedClaim[],
): Promise<number> {
  let wrong = 0;
  for (const claim of claims) {
    claim.agent.server = server;
    const { status, body } = await claim.agent.submitClaim(claim.mint, claim.signedTransaction);
    const signature = signatureOf(claim);
    const landed = await chain.getTransaction(signature, { commitment: "confirmed" });
    const hasLanded = landed?.meta?.err === null;
    if (status !== 200) {
      if (hasLanded || claim.answer !== null) wrong += 1;
      continue;
    }
    const { claimedSOL, transactionHash } = body as { claimedSOL: number; transactionHash: string };
    const paid = hasLanded && landed.meta ? payoutOf(landed.meta, claim.agent.wallet) : -1n;
    const isRight = transactionHash === signature && parseSol(claimedSOL.toFixed(9)) === paid;
    claim.answer ??= { claimedSOL, transactionHash };
    if (!isRight) wrong += 1;
  }
  return wrong;
}

/** The first signature of a wire transaction: behind the byte that counts them. */
export function signatureOf({ signedTransaction }: SignedClaim): string {
  return bs58.encode(Buffer.from(signedTransaction, "base64").subarray(1, 65));
}
