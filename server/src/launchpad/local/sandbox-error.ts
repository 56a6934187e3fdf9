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
