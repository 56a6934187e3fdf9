/** A blockhash is valid for this many blocks after its own: agave's `MAX_PROCESSING_AGE`. */
export const BLOCKHASH_VALID_BLOCKS = 150;

export interface ClusterPace {
  readonly msPerBlock: number | null;
  /** Lamports that an account must hold for each byte. */
  readonly rentPerByte: bigint;
}

export function describePace({ msPerBlock, rentPerByte }: ClusterPace): string {
  const rent = `accounts cost ${rentPerByte} lamports a byte`;
  if (msPerBlock === null) return `the time per block is not measured; ${rent}`;
  const seconds = (msPerBlock / 1000).toFixed(2);
  const toLand = Math.floor((BLOCKHASH_VALID_BLOCKS * msPerBlock) / 1000);
  return `a block takes ${seconds} s, so a transaction can land for ${toLand} s; ${rent}`;
}

/** The tip of an operator-paid transaction, for services that deliver it to a leader. */
export interface TipTerms {
  readonly lamports: bigint;
  /** Base58; used in turn, so that parallel transactions do not contend for one account. */
  readonly accounts: readonly string[];
}
