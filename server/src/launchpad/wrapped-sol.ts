import {
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import type { PublicKey } from "@solana/web3.js";
import type { ClaimOptions, ClaimParts } from "./pool-program.ts";

export interface AgentClaimOptions extends ClaimOptions {
  readonly agent: PublicKey;
}

export function wrappedSolAccount(wallet: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(NATIVE_MINT, wallet, true);
}

/** What encloses a claim of any tokens: make the agent's account for wrapped SOL, and unwrap it. */
export function enclosingInstructions(
  { agent, sponsor, startsEmpty }: AgentClaimOptions,
  hasWrappedSol: boolean,
): Pick<ClaimParts, "first" | "last"> {
  const account = wrappedSolAccount(agent);
  const unwrap = createCloseAccountInstruction(account, agent, agent);
  // A sponsor gets its rent back only from an account that was not there before.
  const make =
    sponsor || startsEmpty
      ? createAssociatedTokenAccountInstruction
      : createAssociatedTokenAccountIdempotentInstruction;
  const made = make(sponsor ?? agent, account, agent, NATIVE_MINT);
  if (startsEmpty) return { first: hasWrappedSol ? [unwrap, made] : [made], last: [unwrap] };
  return { first: sponsor && hasWrappedSol ? [] : [made], last: [unwrap] };
}
