import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, type LaunchApproval, type TokenctlClient } from "@tokenctl/sdk";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { CliError, systemCode } from "../errors.ts";

const PAGE = 100;
const TICKER = /^[A-Z0-9]{2,10}$/;
const MORE = "Allow more with --max-launch-cost-sol";

/** Records a UTC day's actions as files that survive restarts. A call removes only its own. */
class DayFiles {
  constructor(private readonly folder: string) {}

  path(name: string): string {
    return join(this.folder, name);
  }

  async names(): Promise<string[]> {
    return (await readdir(this.folder).catch(unlessMissing)) ?? [];
  }

  /** Adds a file unless `check` refuses. If two calls compete for a place, at least one fails. */
  async add(name: string, check: (names: string[]) => void | Promise<void>): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    {
      await using file = await open(this.path(name), "wx", 0o600);
      // A file that a power cut loses would allow one action more.
      await file.sync();
    }
    try {
      await check(await this.names());
    } catch (error) {
      await rm(this.path(name));
      throw error;
    }
  }
}

function unlessMissing(fault: unknown): undefined {
  if (systemCode(fault) !== "ENOENT") throw fault;
}

export interface Launching {
  readonly ticker: string;
  /** Identifies the launch, for example its idempotency key. */
  readonly key: (day: string) => string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Limits the tickers that the wallet launches per UTC day of the service, so a repeat counts once.
 * Each call has a file until it is answered; then its launch has one. Tokens that the service
 * lists for the day count too.
 */
export class LaunchAllowance {
  /** @param folder for one wallet at one service */
  constructor(
    private readonly client: Pick<TokenctlClient, "health" | "tokens">,
    private readonly folder: string,
    readonly limit: number,
  ) {}

  async today(signal?: AbortSignal): Promise<Set<string>> {
    const { day, files } = await this.#day(signal);
    return new Set([...(await files.names()).map(tickerOf), ...(await this.#shown(day, signal))]);
  }

  /** @throws {CliError} `launches_used_up` */
  async check(ticker: string, signal?: AbortSignal): Promise<void> {
    const tickers = await this.today(signal);
    if (!tickers.has(ticker) && tickers.size >= this.limit) throw this.#usedUp(tickers);
  }

  async isRepeat({ ticker, key, signal }: Launching): Promise<boolean> {
    const { day, files } = await this.#day(signal);
    return (await files.names()).includes(`${ticker}.${key(day)}`);
  }

  /**
   * Requests a launch. It takes one of the day's places unless the service definitely refuses it.
   *
   * @throws {CliError} `launches_used_up`; otherwise what the request throws
   */
  async launch<T>(
    { ticker, key, signal }: Launching,
    request: (key: string) => Promise<T>,
  ): Promise<T> {
    // The ticker becomes part of a file name, and a retry's ticker comes from the service.
    if (!TICKER.test(ticker)) {
      throw new CliError("invalid_response", "The service's ticker is not valid");
    }
    const { day, files } = await this.#day(signal);
    const launch = `${ticker}.${key(day)}`;
    const call = `${launch}.${crypto.randomUUID()}`;
    await files.add(call, async (names) => {
      const shown = await this.#shown(day, signal);
      const settled = names.filter((name) => name.split(".").length === 2).map(tickerOf);
      const asked = new Set([...names.map(tickerOf), ...shown]);
      if ([...settled, ...shown].includes(ticker) || asked.size <= this.limit) return;
      asked.delete(ticker);
      throw this.#usedUp(asked);
    });
    try {
      return await request(key(day));
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && !error.isFromGateway;
      if (isRefused) await rm(files.path(call));
      throw error;
    } finally {
      await rename(files.path(call), files.path(launch)).catch(unlessMissing);
    }
  }

  #usedUp(tickers: ReadonlySet<string>): CliError {
    const message = `Launches today (UTC): ${[...tickers].join(", ")}. This MCP server allows ${this.limit} a day`;
    const hint = "Wait for the next UTC day, or allow more with --max-launches-per-day";
    return new CliError("launches_used_up", message, { hint });
  }

  /** Returns the UTC day by the service's clock. */
  async #day(signal: AbortSignal | undefined) {
    const { timestamp } = await this.client.health({ signal });
    const day = timestamp.slice(0, 10);
    // The day becomes the name of a folder.
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) {
      throw new CliError("invalid_response", "The service's timestamp is not valid");
    }
    return { day, files: new DayFiles(join(this.folder, day, "launches")) };
  }

  /** Returns the tickers of the service's tokens of a day, but no more than show that it is over. */
  async #shown(day: string, signal: AbortSignal | undefined): Promise<string[]> {
    const shown: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.client.tokens({ limit: PAGE, cursor, signal });
      const ofDay = page.tokens.filter(({ deployedAt }) => deployedAt >= day);
      shown.push(...ofDay.map(({ ticker }) => ticker));
      cursor = page.nextCursor;
      // The list is newest first.
      const hasMore = cursor !== undefined && ofDay.length > 0;
      if (!hasMore || ofDay.length < page.tokens.length || shown.length > this.limit) return shown;
    }
  }
}

const tickerOf = (name: string) => name.split(".")[0] ?? "";

interface PaymentOptions {
  readonly folder: string;
  readonly now: () => number;
  /** Maximum cost of one launch, lamports. */
  readonly perLaunch: bigint;
  readonly launchesPerDay: number;
}

/**
 * Limits what the wallet pays for launches: for each one, and for all that it signs in a UTC day
 * by this machine's clock, whatever the service says. Each signature has a file. A mint is created
 * only once, so another signature for the same launch adds only the network fee of a transaction
 * that fails on chain.
 */
export class LaunchPayments {
  constructor(private readonly options: PaymentOptions) {}

  /** Maximum cost of one launch, SOL. */
  get maxCostSOL(): number {
    return lamportsToSol(this.options.perLaunch);
  }

  /** @throws {CliError} `launch_too_dear` if the amount alone exceeds the maximum of a launch */
  check(sol = 0): void {
    const [lamports, most] = [solToLamports(sol), this.options.perLaunch];
    if (lamports <= most) return;
    const text = `It would cost ${formatSol(lamports)} SOL, more than the ${formatSol(most)} SOL allowed`;
    throw new CliError("launch_too_dear", text, { hint: MORE });
  }

  /** Counts a launch just before its signature. @throws {CliError} if a limit forbids it */
  async approve(launch: Pick<LaunchApproval, "tokenMint" | "costSOL">): Promise<void> {
    const { tokenMint, costSOL } = launch;
    this.check(costSOL.total);
    // The mint becomes part of a file name.
    if (!/^[1-9A-Za-z]{1,44}$/.test(tokenMint)) {
      throw new CliError("invalid_response", "The launch's mint address is not valid");
    }
    const { folder, now, perLaunch, launchesPerDay } = this.options;
    const day = new Date(now()).toISOString().slice(0, 10);
    const fee = solToLamports(costSOL.networkFee);
    const rest = solToLamports(costSOL.total) - fee;
    const name = `${tokenMint}.${fee}.${rest}.${crypto.randomUUID()}`;
    await new DayFiles(join(folder, day, "paid")).add(name, (names) => {
      const total = totalOf(names);
      if (total <= perLaunch * BigInt(launchesPerDay)) return;
      const text = `Not signed: the launches of this UTC day would cost ${formatSol(total)} SOL, more than ${launchesPerDay} times the ${formatSol(perLaunch)} SOL allowed`;
      throw new CliError("launches_used_up", text, { hint: MORE });
    });
  }
}

/** Sums lamports: every network fee, and per mint the highest other cost of a transaction. */
function totalOf(names: readonly string[]): bigint {
  const most = new Map<string, bigint>();
  let fees = 0n;
  for (const name of names) {
    const [mint = "", fee = "", rest = ""] = name.split(".");
    fees += BigInt(fee);
    if (BigInt(rest) > (most.get(mint) ?? 0n)) most.set(mint, BigInt(rest));
  }
  return [...most.values()].reduce((sum, rest) => sum + rest, fees);
}
