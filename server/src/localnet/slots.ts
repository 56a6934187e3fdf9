import { base58 } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import { sameBytes } from "./accounts.ts";
import type { Genesis, Ledger } from "./ledger.ts";

/** The usual length of a slot in milliseconds (solana-clock `DEFAULT_MS_PER_SLOT`). */
export const SLOT_MS = 400;
/** A node remembers statuses for this many slots (solana-clock `MAX_RECENT_BLOCKHASHES`). */
export const STATUS_CACHE_SLOTS = 2 * BLOCKHASH_VALID_BLOCKS;
/** A block is final after this many slots (solana-vote-interface `MAX_LOCKOUT_HISTORY`, plus 1). */
const FINALIZED_AFTER_SLOTS = 32;
/** The length of an epoch (solana-clock `DEFAULT_SLOTS_PER_EPOCH`). */
export const SLOTS_PER_EPOCH = 432_000;

/** Slots and block heights differ, as on every cluster, so that code that confuses them fails. */
export const GENESIS_SLOT = 1_000;
/** The first slot with transactions. It starts at the time of genesis. */
const FIRST_SLOT = GENESIS_SLOT + 1;

/** The offset of the slot in a blockhash, after bytes of a hash that only this ledger can make. */
const SLOT_AT = 24;

export interface Blockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * The chain's time. Slots follow the clock and never go back. A slot's blockhash and time depend only
 * on its number and the ledger's genesis.
 */
export class Slots {
  readonly #genesis: Genesis;
  #current: number;

  constructor(
    private readonly clock: Clock,
    ledger: Ledger,
  ) {
    this.#genesis = ledger.genesis;
    this.#current = Math.max(ledger.highestSlot, FIRST_SLOT);
  }

  advance(): number {
    const { timeMs, slotMs } = this.#genesis;
    const passed = Math.floor((this.clock.now() - timeMs) / slotMs);
    this.#current = Math.max(this.#current, FIRST_SLOT + passed);
    return this.#current;
  }

  get current(): number {
    return this.#current;
  }

  get finalized(): number {
    return Math.max(GENESIS_SLOT, this.#current - FINALIZED_AFTER_SLOTS);
  }

  timeOf(slot: number): number {
    const { timeMs, slotMs } = this.#genesis;
    return Math.floor((timeMs + (slot - FIRST_SLOT) * slotMs) / 1_000);
  }

  heightOf(slot: number): number {
    return slot - GENESIS_SLOT;
  }

  blockhashOf(slot: number): Blockhash {
    return {
      blockhash: base58.encode(this.#hash(slot)),
      lastValidBlockHeight: this.heightOf(slot) + BLOCKHASH_VALID_BLOCKS,
    };
  }

  /** @param at the newest slot whose blockhash is known. Default: the current slot */
  isRecent(blockhash: Uint8Array, at = this.#current): boolean {
    const slot = Number(Buffer.from(blockhash).readBigUInt64LE(SLOT_AT));
    const oldest = Math.max(GENESIS_SLOT, this.#current - BLOCKHASH_VALID_BLOCKS);
    return slot >= oldest && slot <= at && sameBytes(blockhash, this.#hash(slot));
  }

  #hash(slot: number): Uint8Array {
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(BigInt(slot));
    const hash = new Bun.CryptoHasher("sha256").update(this.#genesis.seed).update(number).digest();
    hash.set(number, SLOT_AT);
    return hash;
  }
}
