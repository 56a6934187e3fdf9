import { Database } from "bun:sqlite";
import type { Static } from "@sinclair/typebox";
import { NATIVE_MINT } from "@solana/spl-token";
import { type Connection, PublicKey } from "@solana/web3.js";
import { ClaimHistorySchema } from "@tokenctl/shared/contract/claim";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { payoutOf } from "@tokenctl/shared/payout";
import { parseSol } from "@tokenctl/shared/sol";
import bs58 from "bs58";
import { expectShape } from "../support/agent.ts";
import { type AgentActivity, answerIn, type SignedClaim } from "./agent-activity.ts";
import { figures, scale } from "./scale.ts";

export interface ChainComparison {
  readonly launchesAccepted: number;
  readonly lost: number;
  /** Launches that did not end. */
  readonly stuck: number;
  readonly unsuccessful: number;
  /** Mints on chain beyond one for each launch; launches whose 200 was cut off count too. */
  readonly deployedTwice: number;
  readonly claimsSigned: number;
  readonly claimsConfirmed: number;
  /**
   * Claims that were answered as paid and are not on chain, or the other way around; and those that
   * the agents' histories lack, or have with other lamports than the chain paid; and receivers that hold
   * something else than the histories say.
   */
  readonly claimsRecordedWrong: number;
  /** Launches that their agent was not told of once, and agents whose events have gaps or are another's. */
  readonly toldWrong: number;
}

/** What every comparison must show. */
export const NO_DIFFERENCE = {
  lost: 0,
  stuck: 0,
  unsuccessful: 0,
  deployedTwice: 0,
  claimsRecordedWrong: 0,
  toldWrong: 0,
} as const satisfies Partial<ChainComparison>;

const UNSIGNED = bs58.encode(new Uint8Array(64));

/** How long launches may take to end after the last start, in milliseconds. */
const END_MS = scale(300_000, 30_000);

/**
 * Waits until all launches have ended, and compares the service's answers with the chain.
 *
 * @param launchWallet the wallet whose transactions made the mints
 * @param database the service's database file, or what counts the launches in its database
 */
export async function compareWithChain(
  server: { readonly url: string },
  chain: Connection,
  launchWallet: PublicKey,
  activity: AgentActivity,
  database: string | CountLaunches,
): Promise<ChainComparison> {
  let lost = 0;
  let stuck = 0;
  let unsuccessful = 0;
  const deadline = performance.now() + END_MS;
  for (const { agent, eventId } of activity.launches) {
    agent.server = server;
    await agent.signIn();
    const { status, body } = await agent.get(`/api/v1/tokens/launch/status/${eventId}`);
    if (status !== 200) {
      lost += 1;
      continue;
    }
    // One that has ended counts as ended, however long it took to ask for all that came before.
    const launch = expectShape(LaunchStatusSchema, body);
    const ended = await Promise.race([
      launch.status === "pending" ? agent.untilEnded(eventId) : launch,
      Bun.sleep(Math.max(0, deadline - performance.now())),
    ]);
    if (!ended) stuck += 1;
    else if (ended.status !== "success") unsuccessful += 1;
  }
  const count = typeof database === "string" ? countInFile(database) : database;
  const { launches, pending } = await untilNonePending(count, deadline);
  const claimsRecordedWrong = await countWrongClaims(server, chain, activity.claims);
  return {
    launchesAccepted: activity.launches.length,
    lost,
    stuck: stuck + pending,
    unsuccessful,
    deployedTwice: (await countMints(chain, launchWallet)) - launches,
    claimsSigned: activity.claims.length,
    claimsConfirmed: activity.claims.filter(({ answer }) => answer !== null).length,
    claimsRecordedWrong,
    toldWrong: await countToldWrong(activity),
  };
}

/** Reads each agent's events: they count from 1, and end each of its launches once. */
async function countToldWrong({ launches }: AgentActivity): Promise<number> {
  let wrong = 0;
  for (const [agent, own] of Map.groupBy(launches, (launch) => launch.agent)) {
    const { body } = await agent.get("/api/v1/events?limit=1000");
    const { events } = expectShape(AgentEventListSchema, body);
    if (events.some(({ id }, index) => id !== index + 1)) wrong += 1;
    const told = events.filter(({ type }) => type === "launch.succeeded");
    const ended = told.map(({ data }) => data.eventId).toSorted();
    if (!Bun.deepEquals(ended, own.map(({ eventId }) => eventId).toSorted())) wrong += 1;
  }
  return wrong;
}

/** @returns how many launches the database holds, and how many of them are pending */
export type CountLaunches = () => Promise<{ readonly launches: number; readonly pending: number }>;

/** Waits until no launch is pending, even of those whose agents got no answer. */
async function untilNonePending(count: CountLaunches, deadline: number) {
  for (;;) {
    const counts = await count();
    if (counts.pending === 0 || performance.now() > deadline) return counts;
    await Bun.sleep(50);
  }
}

function countInFile(path: string): CountLaunches {
  return async () => {
    using database = new Database(path, { readonly: true });
    const query = database.query<{ launches: number; pending: number }, []>(
      "select count(*) as launches, count(*) filter (where status = 'pending') as pending from launches",
    );
    return query.get() ?? { launches: 0, pending: 0 };
  };
}

/** @returns how many mints the launch wallet's transactions created */
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
      const transaction = await chain.getTransaction(signature, { commitment: "confirmed" });
      for (const { mint } of transaction?.meta?.postTokenBalances ?? []) mints.add(mint);
    }
    before = page.at(-1)?.signature;
    if (page.length < 1000) break;
  }
  mints.delete(NATIVE_MINT.toBase58());
  return mints.size;
}

/** Sends every claim once more: it must be answered as paid if it is on chain, and only then. */
async function countWrongClaims(
  server: { readonly url: string },
  chain: Connection,
  claims: readonly SignedClaim[],
): Promise<number> {
  let wrong = 0;
  const paidTo = new Map(claims.map(({ agent }) => [agent, new Map<string, bigint>()]));
  for (const claim of claims) {
    claim.agent.server = server;
    const { status, body } = await sendAgain(claim);
    const signature = await sentSignature(chain, claim, body);
    const transaction = await chain.getTransaction(signature, { commitment: "confirmed" });
    const meta = transaction?.meta;
    const paid = meta?.err === null ? payoutOf(meta, claim.agent.wallet) : null;
    if (paid !== null) paidTo.get(claim.agent)?.set(signature, paid);
    const answer = status === 200 ? answerIn(body) : null;
    const isRight =
      answer === null
        ? paid === null && claim.answer === null
        : answer.transactionHash === signature && parseSol(answer.claimedSOL.toFixed(9)) === paid;
    claim.answer ??= answer;
    if (isRight) continue;
    wrong += 1;
    figures("a claim that is answered wrong", { signature, paid: `${paid}`, status, body });
  }
  for (const [agent, paid] of paidTo) {
    const { body } = await agent.get("/api/v1/tokens/claims/history");
    const history = expectShape(ClaimHistorySchema, body).claims;
    const named = claims.filter((claim) => claim.agent === agent);
    const wrongReceivers = await countWrongReceivers(chain, history, named);
    const wrongHere = countWrongPayments(history, paid) + wrongReceivers;
    wrong += wrongHere;
    if (wrongHere === 0) continue;
    const onChain = [...paid].map(([signature, lamports]) => ({ signature, paid: `${lamports}` }));
    figures("a history that is wrong", { agent: agent.wallet, onChain, history });
  }
  return wrong;
}

/**
 * The cluster's name for a claim: its first signature. A sponsor's is not in what the agent signed, so
 * that is the transaction of the answer, if the agent has signed it.
 */
async function sentSignature(chain: Connection, claim: SignedClaim, body: unknown) {
  const first = signatureOf(claim);
  if (first !== UNSIGNED) return first;
  const { transactionHash = first } = body as { transactionHash?: string };
  const landed = await chain.getTransaction(transactionHash, { commitment: "confirmed" });
  const own = bs58.encode(Buffer.from(claim.signedTransaction, "base64").subarray(65, 129));
  return landed?.transaction.signatures[1] === own ? transactionHash : first;
}

function sendAgain({ agent, mint, tokenMints, signedTransaction }: SignedClaim) {
  if (tokenMints === undefined) return agent.submitClaim(mint, signedTransaction);
  return agent.post("/api/v1/tokens/claims", { tokenMints, signedTransaction });
}

type Payments = Static<typeof ClaimHistorySchema>["claims"];

/** @param paid what the chain paid the agent, by signature */
function countWrongPayments(history: Payments, paid: ReadonlyMap<string, bigint>): number {
  // A claim has an entry for each of its tokens, whose parts are known.
  const listed = new Map<string, bigint>();
  for (const { transactionHash, dbcClaimedLamports, lpClaimedLamports } of history) {
    const lamports = BigInt(dbcClaimedLamports ?? -1) + BigInt(lpClaimedLamports ?? -1);
    listed.set(transactionHash, (listed.get(transactionHash) ?? 0n) + lamports);
  }
  // One that landed after another had taken the same fees has paid nothing, and has no entry.
  const all = new Set([...listed.keys(), ...paid.keys()]);
  return [...all].filter((each) => (listed.get(each) ?? 0n) !== (paid.get(each) ?? 0n)).length;
}

async function countWrongReceivers(
  chain: Connection,
  history: Payments,
  named: readonly SignedClaim[],
): Promise<number> {
  // The entries of one claim have the same receivers, and each receiver is paid by one claim.
  const recorded = new Map(
    history.flatMap(({ receivers = [] }) =>
      receivers.map(({ address, paidLamports }) => [address, BigInt(paidLamports)] as const),
    ),
  );
  let wrong = 0;
  for (const address of named.flatMap(({ receivers = [] }) => receivers)) {
    const held = BigInt(await chain.getBalance(new PublicKey(address)));
    if (held !== (recorded.get(address) ?? 0n)) wrong += 1;
  }
  return wrong;
}

/** @returns the first signature of a claim's transaction, which follows the byte that counts them */
export function signatureOf({ signedTransaction }: SignedClaim): string {
  return bs58.encode(Buffer.from(signedTransaction, "base64").subarray(1, 65));
}
