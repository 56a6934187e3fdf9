/** What transactions that the operator pays offer to those who bring them to a leader. */
export interface TipTerms {
  readonly lamports: bigint;
  /** Base58; each in turn, so that transactions side by side do not wait for one account. */
  readonly accounts: readonly string[];
}
