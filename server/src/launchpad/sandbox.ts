import type { TokenRef } from "../domain/token.ts";

/** The market of the embedded chain: what no other chain can do. */
export interface Sandbox {
  airdrop(wallet: string, lamports: bigint): Promise<string>;
  trade(order: SandboxOrder): Promise<SandboxTrade>;
  graduate(token: TokenRef): Promise<SandboxTrade>;
  /** Answers a request of Solana's JSON-RPC: for wallets, explorers and `solana --url`. */
  rpc(request: Request): Promise<Response>;
}

export interface SandboxOrder extends TokenRef {
  readonly side: "buy" | "sell";
  /** What a buyer pays in total, or what the sold tokens are worth. */
  readonly lamports: bigint;
}

export interface SandboxTrade {
  readonly signature: string;
  /** Base units of the token that changed hands. */
  readonly tokens: bigint;
  readonly creatorFeeLamports: bigint;
  readonly isMigrated: boolean;
}

/**
 * - `unknown_token`: the token is not on this chain.
 * - `already_migrated`: the pool has graduated already.
 * - `amount_too_small`: it buys nothing, or is too small for a new wallet.
 * - `airdrop_refused`: the address cannot be paid; it is a program's, for example.
 * - `pool_exhausted`: the pool does not hold that much.
 * - `insufficient_holdings`: the sandbox's trader does not hold that many tokens.
 */
export type SandboxErrorCode =
  | "unknown_token"
  | "already_migrated"
  | "amount_too_small"
  | "airdrop_refused"
  | "pool_exhausted"
  | "insufficient_holdings";

/** Something that the sandbox cannot do; the message says why and is public. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";

  constructor(
    readonly code: SandboxErrorCode,
    message: string,
  ) {
    super(message);
  }
}
