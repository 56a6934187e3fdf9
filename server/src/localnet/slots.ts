import { base58 } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import { sameBytes } from "./accounts.ts";
import type { Ledger, Pace } from "./ledger.ts";

/** The usual length of a slot in milliseconds (solana-clock `DEFAULT_MS_PER_SLOT`). */
export const SLOT_MS = 400;
/** A node remembers statuses for this many slots (solana-clock `MAX_RECENT_BLOCKHASHES`). */
export const STATUS_CACHE_SLOTS = 2 * BLOCKHASH_VALID_BLOCKS;
/** A block is final after this many slots (solana-vote-interface `MAX_LOCKOUT_HISTORY`, plus 1). */
const FINALIZED_AFTER_SLOTS = 32;
/** The length of an epoch (solana-clock `DEFAULT_SLOTS_PER_EPOCH`). */
export const SLOTS_PER_EPOCH = 432_000;
/** The entries of the SlotHashes sysvar (solana-slot-hashes `MAX_ENTRIES`). */
const SLOT_HASHES = 512;

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
 * The chain's time. Slots follow the clock and never go back. A slot's blockhash depends only on
 * its number, and its time on the ledger's paces, so a restart changes neither.
 */
export class Slots {
  /** Blockhashes are derived from the seed, so each ledger has its own. */
  readonly #seed: Uint8Array;
  /** At least one, oldest first. */
  #paces: readonly [Pace, ...Pace[]];
  #isHalted = false;
  #current: number;
  #reported: number;

  /** @param slotMs the length of slots from now on, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    slotMs: number = SLOT_MS,
  ) {
    const { genesis, highestSlot } = ledger;
    this.#seed = genesis.seed;
    this.#reported = highestSlot;
    this.#current = Math.max(highestSlot, FIRST_SLOT);
    const [first, ...later] = ledger.paces;
    this.#paces = [first ?? { slot: FIRST_SLOT, fromMs: genesis.timeMs, slotMs }, ...later];
    if (first === undefined) ledger.notePaces(this.#paces);
    else if (this.#pace.slotMs !== slotMs) this.setSlotMs(slotMs);
  }

  advance(): number {
    if (this.#isHalted) return this.#current;
    const { slot, fromMs, slotMs } = this.#pace;
    const passed = Math.floor((this.clock.now() - fromMs) / slotMs);
    this.#current = Math.max(this.#current, slot + passed);
    if (this.#current > this.#reported) {
      this.ledger.noteSlot(this.#current);
      this.#reported = this.#current;
    }
    return this.#current;
  }

  setSlotMs(slotMs: number): void {
    const slot = this.advance() + 1;
    this.#addPace({ slot, fromMs: this.#startOf(slot), slotMs });
  }

  /** Stops at the current slot, or continues with the next one. */
  halt(isHalted: boolean): void {
    if (isHalted === this.#isHalted) return;
    const { slotMs } = this.#pace;
    if (!isHalted) this.#addPace({ slot: this.#current + 1, fromMs: this.clock.now(), slotMs });
    else this.advance();
    this.#isHalted = isHalted;
  }

  get current(): number {
    return this.#current;
  }

  get finalized(): number {
    return Math.max(GENESIS_SLOT, this.#current - FINALIZED_AFTER_SLOTS);
  }

  timeOf(slot: number): number {
    return Math.floor(this.#startOf(slot) / 1_000);
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

  /** Returns the SlotHashes sysvar's content: slots before the current one, newest first. */
  recentHashes(): { readonly slot: number; readonly blockhash: string }[] {
    const newest = this.#current - 1;
    const count = Math.min(SLOT_HASHES, newest - GENESIS_SLOT + 1);
    return Array.from({ length: count }, (_, back) => ({
      slot: newest - back,
      blockhash: base58.encode(this.#hash(newest - back)),
    }));
  }

  get #pace(): Pace {
    return this.#paces.at(-1) ?? this.#paces[0];
  }

  #addPace(pace: Pace): void {
    this.#paces = [...this.#paces, pace];
    this.ledger.notePaces(this.#paces);
  }

  #startOf(slot: number): number {
    const pace = this.#paces.findLast((each) => each.slot <= slot) ?? this.#paces[0];
    return pace.fromMs + (slot - pace.slot) * pace.slotMs;
  }

  #hash(slot: number): Uint8Array {
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(BigInt(slot));
    const hash = new Bun.CryptoHasher("sha256").update(this.#seed).update(number).digest();
    hash.set(number, SLOT_AT);
    return hash;
  }
}
