// Compiles only if the types say what the documentation does. Nothing runs it.
import {
  type AgentEvent,
  type ClaimRecord,
  hasCode,
  type LaunchStatus,
  TokenctlClient,
  type TokenctlErrorCode,
} from "@tokenctl/sdk";

export function mintOf(launch: LaunchStatus): string | null {
  if (launch.status === "success") {
    const mint: string = launch.tokenMint;
    const pool: string = launch.poolAddress;
    return `${mint} ${pool}`;
  }
  const none: null = launch.tokenMint;
  return none;
}

export const sumOf = (claims: readonly ClaimRecord[]): number =>
  claims.reduce((sum, { claimableSOL }) => sum + claimableSOL, 0);

const codes: TokenctlErrorCode[] = [];
const client = new TokenctlClient({ onRetry: ({ error }) => codes.push(error.code) });

export async function failures(): Promise<readonly TokenctlErrorCode[]> {
  const { launches } = await client.launches();
  for (const launch of launches) mintOf(launch);
  const { outcomes } = await client.claimAll();
  for (const outcome of outcomes) if (outcome.kind === "failed") codes.push(outcome.error.code);
  return codes;
}

export function transactionOf({ type, data }: AgentEvent): string | null {
  if (type !== "claim.confirmed") return data.tokenMint;
  const hash: string = data.transactionHash;
  return hash;
}

export function fieldsOf(error: unknown): unknown {
  if (hasCode(error, "ticker_taken")) return error.launchStatus;
  if (hasCode(error, "insufficient_sol")) return error.requiredSOL;
  if (hasCode(error, "over_limit")) return error.neededLamports;
  if (hasCode(error, "events_gone")) return error.oldestAfter;
  if (hasCode(error, "rpc_failed")) return error.kind;
  // @ts-expect-error a code that there is not
  if (hasCode(error, "nothing")) return null;
  return hasCode(error, "queue_full") ? error.retryAfterSeconds : null;
}
