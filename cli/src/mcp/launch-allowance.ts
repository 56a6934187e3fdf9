import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TokenctlClient } from "@tokenctl/sdk";
import { Refusal } from "./refusal.ts";

/** Tokens that one page of the service's list holds. */
const PAGE = 100;
const PREFIX = "launch-";
const TICKER = /^[A-Z0-9]{2,10}$/;

/** A place among the day's launches. */
export interface Place {
  /** UTC, for example `2026-03-01`. */
  readonly day: string;
  /** Gives it back, if the service refused the launch. A place that an earlier call took stays. */
  release(): Promise<void>;
}

interface AllowanceOptions {
  readonly client: Pick<TokenctlClient, "health" | "tokens">;
  /** Belongs to one wallet at one service. */
  readonly folder: string;
  readonly limit: number;
}

/**
 * Limits the wallet's launches in a UTC day, by their tickers: a ticker launches once, so a repeat
 * takes no second place. What counts is kept in files, one for each ticker, so that a restart lifts
 * nothing, and beside them the tokens that the service shows of the day, so that lost files lift
 * nothing that has become a token. The day is the service's own.
 */
export class LaunchAllowance {
  readonly #options: AllowanceOptions;

  constructor(options: AllowanceOptions) {
    this.#options = options;
  }

  get limit(): number {
    return this.#options.limit;
  }

  /** @returns the UTC day by the service's clock, for example `2026-03-01` */
  async day(signal?: AbortSignal): Promise<string> {
    const { timestamp } = await this.#options.client.health({ signal });
    const day = timestamp.slice(0, 10);
    // It becomes the name of a folder.
    if (/^\d{4}-\d\d-\d\d$/.test(day)) return day;
    throw new Refusal("invalid_response", "The service's time makes no sense");
  }

  /** @returns the tickers that were launched or asked for in the UTC day */
  async today(signal?: AbortSignal): Promise<Set<string>> {
    return this.#tickersOf(await this.day(signal), signal);
  }

  /** @throws {Refusal} `launches_used_up` if the day has no place for this ticker */
  async check(ticker: string, signal?: AbortSignal): Promise<void> {
    const tickers = await this.today(signal);
    if (!tickers.has(ticker) && tickers.size >= this.limit) throw this.#usedUp(tickers);
  }

  /**
   * Takes a place for a ticker, unless it has one.
   *
   * @throws {Refusal} `launches_used_up`, and no place is taken
   */
  async take(ticker: string, signal?: AbortSignal): Promise<Place> {
    // It becomes the name of a file, and that of a retried launch comes from the service.
    if (!TICKER.test(ticker)) {
      throw new Refusal("invalid_response", "The service's ticker makes no sense");
    }
    const day = await this.day(signal);
    const folder = join(this.#options.folder, day);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, PREFIX + ticker);
    const isNew = await create(file);
    const release = async () => {
      if (isNew) await rm(file, { force: true });
    };
    try {
      // Whoever comes second finds both files: at the last place both may be refused, never too few.
      const tickers = await this.#tickersOf(day, signal);
      if (isNew && tickers.size > this.limit) {
        tickers.delete(ticker);
        throw this.#usedUp(tickers);
      }
    } catch (error) {
      await release();
      throw error;
    }
    return { day, release };
  }

  async #tickersOf(day: string, signal: AbortSignal | undefined): Promise<Set<string>> {
    const asked = await tickersIn(join(this.#options.folder, day));
    return new Set([...asked, ...(await this.#shown(day, signal))]);
  }

  #usedUp(tickers: ReadonlySet<string>): Refusal {
    return new Refusal(
      "launches_used_up",
      `Launches today (UTC): ${[...tickers].join(", ")}. This MCP server allows ${this.limit} a day`,
      "Wait for the next UTC day. Only the person who starts this MCP server can allow more, with --max-launches-per-day.",
    );
  }

  /** The list is newest first. */
  async #shown(day: string, signal: AbortSignal | undefined): Promise<string[]> {
    const shown: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.#options.client.tokens({ limit: PAGE, cursor, signal });
      const ofDay = page.tokens.filter(({ deployedAt }) => deployedAt >= day);
      shown.push(...ofDay.map(({ ticker }) => ticker));
      cursor = page.nextCursor;
      if (cursor === undefined || ofDay.length < page.tokens.length) return shown;
    }
  }
}

async function tickersIn(folder: string): Promise<string[]> {
  try {
    const files = await readdir(folder);
    return files.filter((file) => file.startsWith(PREFIX)).map((file) => file.slice(PREFIX.length));
  } catch (fault) {
    if (codeOf(fault) === "ENOENT") return [];
    throw fault;
  }
}

/** @returns whether the file was not there before */
async function create(path: string): Promise<boolean> {
  try {
    await using file = await open(path, "wx", 0o600);
    // A place that a power cut forgets would be one launch more.
    await file.sync();
    return true;
  } catch (fault) {
    if (codeOf(fault) === "EEXIST") return false;
    throw fault;
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && "code" in fault ? fault.code : undefined;
}
