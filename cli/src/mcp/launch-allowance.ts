import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, type TokenctlClient } from "@tokenctl/sdk";
import { systemCode } from "../errors.ts";
import { Refusal } from "./refusal.ts";

const PAGE = 100;
const PREFIX = "launch-";
const TICKER = /^[A-Z0-9]{2,10}$/;

interface AllowanceOptions {
  readonly client: Pick<TokenctlClient, "health" | "tokens">;
  /** For one wallet at one service. */
  readonly folder: string;
  readonly limit: number;
}

interface Launching {
  readonly ticker: string;
  /** Identifies the launch, for example its idempotency key. */
  readonly key: (day: string) => string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Limits the wallet's launches per UTC day of the service, by ticker: a repeat takes no second place. Places
 * are files, one for each call until it is answered and then one for each launch, so that they survive a
 * restart, and no call or process can give back another's place. The service's tokens of the day count too,
 * in case files are lost.
 */
export class LaunchAllowance {
  /** The latest call in progress, by ticker. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(private readonly options: AllowanceOptions) {}

  get limit(): number {
    return this.options.limit;
  }

  /** @returns the UTC day by the service's clock, for example `2026-03-01` */
  async day(signal?: AbortSignal): Promise<string> {
    const { timestamp } = await this.options.client.health({ signal });
    const day = timestamp.slice(0, 10);
    // It becomes the name of a folder.
    if (/^\d{4}-\d\d-\d\d$/.test(day)) return day;
    throw new Refusal("invalid_response", "The service's timestamp is not valid");
  }

  /** @returns the tickers that were launched or requested in the UTC day */
  async today(signal?: AbortSignal): Promise<Set<string>> {
    return (await this.#tickersOf(await this.day(signal), signal)).asked;
  }

  /** @throws {Refusal} `launches_used_up` */
  async check(ticker: string, signal?: AbortSignal): Promise<void> {
    const tickers = await this.today(signal);
    if (!tickers.has(ticker) && tickers.size >= this.limit) throw this.#usedUp(tickers);
  }

  /** @returns whether the launch with this key was already requested in the UTC day */
  async isRepeat({ ticker, key, signal }: Launching): Promise<boolean> {
    const day = await this.day(signal);
    return (await filesIn(join(this.options.folder, day))).includes(nameOf(ticker, key(day)));
  }

  /**
   * Requests a launch, which takes one of the day's places unless the service certainly refuses it. Calls of
   * one ticker run one after another.
   *
   * @throws {Refusal} `launches_used_up`; otherwise what the request throws
   */
  async launch<T>(launching: Launching, request: (key: string) => Promise<T>): Promise<T> {
    const { ticker } = launching;
    const before = this.#running.get(ticker);
    const own = (async () => {
      await before?.catch(() => {});
      return this.#launchAlone(launching, request);
    })();
    this.#running.set(ticker, own);
    try {
      return await own;
    } finally {
      if (this.#running.get(ticker) === own) this.#running.delete(ticker);
    }
  }

  async #launchAlone<T>(
    { ticker, key, signal }: Launching,
    request: (key: string) => Promise<T>,
  ): Promise<T> {
    // It becomes the name of a file, and for a retry it comes from the service.
    if (!TICKER.test(ticker)) {
      throw new Refusal("invalid_response", "The service's ticker is not valid");
    }
    const day = await this.day(signal);
    const folder = join(this.options.folder, day);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const launch = join(folder, nameOf(ticker, key(day)));
    const place = `${launch}.${crypto.randomUUID()}`;
    await create(place);
    try {
      // The second of two calls finds both files: both may be refused the last place, never neither.
      const { asked, settled } = await this.#tickersOf(day, signal);
      if (!settled.has(ticker) && asked.size > this.limit) {
        asked.delete(ticker);
        throw this.#usedUp(asked);
      }
    } catch (error) {
      await rm(place);
      throw error;
    }
    try {
      return await request(key(day));
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && !error.isFromGateway;
      if (isRefused) await rm(place);
      throw error;
    } finally {
      await rename(place, launch).catch(unlessMissing);
    }
  }

  /** @returns all tickers that take a place, and those whose place is final */
  async #tickersOf(day: string, signal: AbortSignal | undefined) {
    const files = await filesIn(join(this.options.folder, day));
    const shown = await this.#shown(day, signal);
    const settled = files.filter((file) => file.split(".").length === 2);
    return {
      asked: new Set([...files.map(tickerOf), ...shown]),
      settled: new Set([...settled.map(tickerOf), ...shown]),
    };
  }

  #usedUp(tickers: ReadonlySet<string>): Refusal {
    const message = `Launches today (UTC): ${[...tickers].join(", ")}. This MCP server allows ${this.limit} a day`;
    const hint =
      "Wait for the next UTC day. Only the person who starts this MCP server can allow more, with --max-launches-per-day.";
    return new Refusal("launches_used_up", message, hint);
  }

  /** The list is newest first. */
  async #shown(day: string, signal: AbortSignal | undefined): Promise<string[]> {
    const shown: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.options.client.tokens({ limit: PAGE, cursor, signal });
      const ofDay = page.tokens.filter(({ deployedAt }) => deployedAt >= day);
      shown.push(...ofDay.map(({ ticker }) => ticker));
      cursor = page.nextCursor;
      if (cursor === undefined || ofDay.length < page.tokens.length) return shown;
    }
  }
}

const nameOf = (ticker: string, key: string) => `${PREFIX}${ticker}.${key}`;

const tickerOf = (file: string) => file.slice(PREFIX.length).split(".")[0] ?? "";

/** @returns the names of files that begin with a prefix; none if the folder does not exist */
export async function filesIn(folder: string, prefix = PREFIX): Promise<string[]> {
  const files = await readdir(folder).catch(unlessMissing);
  return files?.filter((file) => file.startsWith(prefix)) ?? [];
}

export async function create(path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  // A place that is lost in a power cut would allow one launch more.
  await file.sync();
}

function unlessMissing(fault: unknown): undefined {
  if (systemCode(fault) !== "ENOENT") throw fault;
}
