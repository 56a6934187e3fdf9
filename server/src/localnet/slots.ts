import { base58 } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";

/** Milliseconds a slot lasts, as Solana aims at. */
export const SLOT_MS = 400;
/** For how many blocks after its own a blockhash can be used (agave `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_VALID_BLOCKS = 150;
/** After how many slots a block is final (agave `MAX_LOCKOUT_HISTORY` + 1). */
const FINALIZED_AFTER_SLOTS = 32;
export const SLOTS_PER_EPOCH = 432_000;
/** How many slots the SlotHashes sysvar remembers. */
const SLOT_HASHES = 512;

/**
 * The slot of genesis, at block height 0. Slots and block heights differ on every cluster because
 * slots get skipped; they differ here so that taking one for the other shows.
 */
export const GENESIS_SLOT = 1_000;
/** The first slot that takes transactions; it starts at the time of genesis. */
const FIRST_SLOT = GENESIS_SLOT + 1;

export interface Blockhash {
  readonly blockhash: string;
  /** The last block height at which a transaction with this blockhash can land. */
  readonly lastValidBlockHeight: number;
}

/**
 * The chain's time: slots follow the clock, 400 ms each, and never go back, whatever the clock
 * does. A slot's blockhash and time follow from its number alone, so a restart changes neither.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #genesisMs: number;
  readonly #seed: Uint8Array;
  #current: number;
  /** Slots by blockhash, for as long as the blockhash is valid. */
  readonly #recent = new Map<string, number>();
  #hashedUpTo = GENESIS_SLOT - 1;

  /**
   * @param genesisMs time of genesis, milliseconds since the Unix epoch
   * @param seed what makes this ledger's blockhashes its own
   * @param highest the highest slot ever seen on this ledger
   */
  constructor(clock: Clock, genesisMs: number, seed: Uint8Array, highest: number) {
    this.#clock = clock;
    this.#genesisMs = genesisMs;
    this.#seed = seed;
    this.#current = Math.max(highest, FIRST_SLOT);
  }

  /** The current slot, moved on to where the clock is. */
  advance(): number {
    const elapsed = this.#clock.now() - this.#genesisMs;
    this.#current = Math.max(this.#current, FIRST_SLOT + Math.floor(elapsed / SLOT_MS));
    return this.#current;
  }

  /** The slot that {@link advance} last gave. */
  get current(): number {
    return this.#current;
  }

  /** The latest final slot. */
  get finalized(): number {
    return Math.max(GENESIS_SLOT, this.#current - FINALIZED_AFTER_SLOTS);
  }

  /** @returns seconds since the Unix epoch */
  timeOf(slot: number): number {
    return Math.floor((this.#genesisMs + (slot - FIRST_SLOT) * SLOT_MS) / 1_000);
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

  /** Whether a transaction with this blockhash (32 bytes) can land in the current slot. */
  isRecent(blockhash: Uint8Array): boolean {
    this.#hashRecent();
    return this.#recent.has(key(blockhash));
  }

  /** The content of the SlotHashes sysvar: slots before the current one, newest first. */
  recentHashes(): { readonly slot: number; readonly blockhash: string }[] {
    const newest = this.#current - 1;
    const count = Math.min(SLOT_HASHES, newest - GENESIS_SLOT + 1);
    return Array.from({ length: count }, (_, back) => ({
      slot: newest - back,
      blockhash: base58.encode(this.#hash(newest - back)),
    }));
  }

  #hashRecent(): void {
    const oldest = Math.max(GENESIS_SLOT, this.#current - BLOCKHASH_VALID_BLOCKS);
    for (let slot = Math.max(oldest, this.#hashedUpTo + 1); slot <= this.#current; slot++) {
      this.#recent.set(key(this.#hash(slot)), slot);
    }
    this.#hashedUpTo = this.#current;
    // A map keeps the order of insertion, so the oldest come first.
    for (const [hash, slot] of this.#recent) {
      if (slot >= oldest) break;
      this.#recent.delete(hash);
    }
  }

  #hash(slot: number): Uint8Array {
    const number = new DataView(new ArrayBuffer(8));
    number.setBigUint64(0, BigInt(slot), true);
    return new Bun.CryptoHasher("sha256").update(this.#seed).update(number.buffer).digest();
  }
}

function key(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("latin1");
}
