import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { utcDay } from "../../../server/src/base/utc-day.ts";

/** More than a launch costs; lamports. */
const LAUNCH_LAMPORTS = 40_000_000;
/** How long the servers run into a limit before it is lifted, in milliseconds. */
const SHORT_MS = 2_000;
const POLL_MS = 250;

export interface PurseOptions {
  readonly chain: Connection;
  readonly wallet: PublicKey;
  readonly floorLamports: number;
  readonly portion: number;
}

/**
 * The launch wallet of an experiment. It gets its SOL and its daily limit in portions, so that the
 * servers reach its floor and the limit over and over.
 */
export class Purse {
  readonly floorLamports: number;
  readonly reached = { floor: 0, dailyLimit: 0 };
  /** What was seen that must not be. */
  readonly violations: string[] = [];
  readonly #chain: Connection;
  readonly #wallet: PublicKey;
  readonly #portion: number;
  readonly #readBooked: () => Promise<number>;
  readonly #day = utcDay(Date.now());
  #given: number;
  #dailyLimit: number;

  /**
   * @param portion lamports; the wallet holds one above the floor
   * @param readBooked reads how many lamports of the day the servers have booked
   */
  constructor(
    { chain, wallet, floorLamports, portion }: PurseOptions,
    readBooked: () => Promise<number>,
  ) {
    this.floorLamports = floorLamports;
    this.#readBooked = readBooked;
    this.#chain = chain;
    this.#wallet = wallet;
    this.#portion = portion;
    this.#given = floorLamports + portion;
    this.#dailyLimit = Math.round(portion * 1.5);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      MIN_WALLET_SOL: formatSol(BigInt(this.floorLamports)),
      MAX_DAILY_SPEND_SOL: formatSol(BigInt(this.#dailyLimit)),
    };
  }

  /**
   * Watches the wallet until the experiment is over, and gives what is short.
   *
   * @param restart starts all servers again, with the present settings
   */
  async watch(isOver: () => boolean, restart: () => Promise<void>): Promise<void> {
    while (!isOver()) {
      const { balance, booked } = await this.look();
      if (balance - this.floorLamports < LAUNCH_LAMPORTS) {
        this.reached.floor += 1;
        await sleep(SHORT_MS);
        await this.look();
        this.#given += this.#portion;
        await this.#chain.requestAirdrop(this.#wallet, this.#portion);
      }
      if (this.#dailyLimit - booked < LAUNCH_LAMPORTS) {
        this.reached.dailyLimit += 1;
        await sleep(SHORT_MS);
        await this.look();
        this.#dailyLimit += this.#portion;
        await restart();
      }
      await sleep(POLL_MS);
    }
    await this.look();
  }

  /** Looks at what the wallet holds, what it has spent, and what the servers have booked; lamports. */
  async look() {
    const balance = await this.#chain.getBalance(this.#wallet);
    const spent = this.#given - balance;
    const booked = await this.#readBooked();
    if (balance < this.floorLamports) this.violations.push(`the wallet holds ${balance} lamports`);
    // After midnight the servers may spend as much again.
    if (spent > this.#dailyLimit && utcDay(Date.now()) === this.#day) {
      this.violations.push(`${spent} of ${this.#dailyLimit} lamports a day are spent`);
    }
    // What is booked comes first.
    if (spent > booked) this.violations.push(`${spent} lamports are spent, ${booked} booked`);
    return { balance, spent, booked };
  }
}
