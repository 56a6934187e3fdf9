import type { TokenRef } from "./launchpad.ts";

/** The market of the embedded chain: what can be done there and on no other chain. */
export interface Sandbox {
  /**
   * @returns the transaction's signature
   * @throws {SandboxError} the amount does not make a wallet, or the address is a program's
   */
  airdrop(wallet: string, lamports: bigint): Promise<string>;
  /** @throws {SandboxError} the pool or the trader has not that much to give */
  trade(order: SandboxOrder): Promise<SandboxTrade>;
  /**
   * Fills the curve to its threshold and migrates the pool.
   *
   * @throws {SandboxError} the pool has migrated before
   */
  graduate(token: TokenRef): Promise<SandboxTrade>;
  /** Answers a request of Solana's JSON-RPC: for wallets, explorers and `solana --url`. */
  rpc(request: Request): Promise<Response>;
}

export interface SandboxOrder extends TokenRef {
  readonly side: "buy" | "sell";
  /** What a buyer pays in all, or what the tokens sold are worth. */
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
 * - `unknown_token`: it is not on this chain.
 * - `already_migrated`: the pool has graduated before.
 * - `amount_too_small`: it would buy nothing, or not make a wallet.
 * - `airdrop_refused`: the address cannot be paid, as programs cannot.
 * - `pool_exhausted`: the pool has not that much to give.
 * - `insufficient_holdings`: the sandbox's trader has not that many tokens.
 */
export type SandboxErrorCode =
  | "unknown_token"
  | "already_migrated"
  | "amount_too_small"
  | "airdrop_refused"
  | "pool_exhausted"
  | "insufficient_holdings";

/** Something that the sandbox cannot do; the message says why and is fit for anyone. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
