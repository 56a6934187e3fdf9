import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, type LaunchApproval } from "@tokenctl/sdk";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { CliError, systemCode } from "../errors.ts";

const TICKER = /^[A-Z0-9]{2,10}$/;
const MORE = "Allow more with --max-launch-cost-sol";

function unlessMissing(fault: unknown): undefined {
  if (systemCode(fault) !== "ENOENT") throw fault;
}

const tickerOf = (name: string) => name.split(".")[0] ?? "";
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export interface Launching {
  readonly ticker: string;
  /** Identifies the launch, for example its idempotency key. */
  readonly key: (day: string) => string;
}

/**
 * Limits the tickers that the wallet launches per UTC day of this machine, so a repeat counts once.
 * Each call has a file until it is answered; then its launch has one. The files survive restarts.
 */
export class LaunchAllowance {
  /** @param folder for one wallet at one service */
  constructor(
    private readonly folder: string,
    readonly limit: number,
    private readonly now: () => number,
  ) {}

  /** @throws {CliError} `launches_used_up` */
  async check(ticker: string): Promise<void> {
    const tickers = new Set((await this.#names()).map(tickerOf));
    if (!tickers.has(ticker) && tickers.size >= this.limit) throw this.#usedUp(tickers);
  }

  async isRepeat({ ticker, key }: Launching): Promise<boolean> {
    return (await this.#names()).includes(`${ticker}.${key(dayOf(this.now()))}`);
  }

  /**
   * Requests a launch. It takes one of the day's places unless the service definitely refuses it.
   *
   * @throws {CliError} `launches_used_up`; otherwise what the request throws
   */
  async launch<T>({ ticker, key }: Launching, request: (key: string) => Promise<T>): Promise<T> {
    // The ticker becomes part of a file name, and a retry's ticker comes from the service.
    if (!TICKER.test(ticker)) {
      throw new CliError("invalid_response", "The service's ticker is not valid");
    }
    const day = dayOf(this.now());
    const launch = join(this.folder, day, `${ticker}.${key(day)}`);
    const call = `${launch}.${crypto.randomUUID()}`;
    await mkdir(join(this.folder, day), { recursive: true, mode: 0o700 });
    {
      await using file = await open(call, "wx", 0o600);
      // A file that a power cut loses would allow one launch more.
      await file.sync();
    }
    // If two calls compete for a place, at least one fails.
    const names = await this.#names();
    const settled = names.filter((name) => name.split(".").length === 2).map(tickerOf);
    const asked = new Set(names.map(tickerOf));
    if (!settled.includes(ticker) && asked.size > this.limit) {
      await rm(call);
      asked.delete(ticker);
      throw this.#usedUp(asked);
    }
    try {
      return await request(key(day));
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && !error.isFromGateway;
      if (isRefused) await rm(call);
      throw error;
    } finally {
      await rename(call, launch).catch(unlessMissing);
    }
  }

  async #names(): Promise<string[]> {
    const folder = join(this.folder, dayOf(this.now()));
    return (await readdir(folder).catch(unlessMissing)) ?? [];
  }

  #usedUp(tickers: ReadonlySet<string>): CliError {
    const message = `Launches today (UTC): ${[...tickers].join(", ")}. This MCP server allows ${this.limit} a day`;
    const hint = "Wait for the next UTC day, or allow more with --max-launches-per-day";
    return new CliError("launches_used_up", message, { hint });
  }
}

interface PaymentOptions {
  readonly now: () => number;
  /** Maximum cost of one launch, lamports. */
  readonly perLaunch: bigint;
  readonly launchesPerDay: number;
}

/**
 * Limits what the wallet pays for launches: for each one, and for all that this process signs in a
 * UTC day, whatever the service says. A mint is created only once, so another signature for the
 * same launch adds only the network fee of a transaction that fails on chain.
 */
export class LaunchPayments {
  #day = "";
  #total = 0n;
  /** The highest cost of a mint's transactions, without their network fees. */
  readonly #costs = new Map<string, bigint>();

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
  approve({ tokenMint, costSOL }: Pick<LaunchApproval, "tokenMint" | "costSOL">): void {
    this.check(costSOL.total);
    const { now, perLaunch, launchesPerDay } = this.options;
    const today = dayOf(now());
    if (today !== this.#day) {
      this.#day = today;
      this.#total = 0n;
      this.#costs.clear();
    }
    const fee = solToLamports(costSOL.networkFee);
    const rest = solToLamports(costSOL.total) - fee;
    const before = this.#costs.get(tokenMint) ?? 0n;
    const cost = rest > before ? rest : before;
    const total = this.#total + fee + cost - before;
    if (total > perLaunch * BigInt(launchesPerDay)) {
      const text = `Not signed: the launches of this UTC day would cost ${formatSol(total)} SOL, more than ${launchesPerDay} times the ${formatSol(perLaunch)} SOL allowed`;
      throw new CliError("launches_used_up", text, { hint: MORE });
    }
    this.#total = total;
    this.#costs.set(tokenMint, cost);
  }
}
