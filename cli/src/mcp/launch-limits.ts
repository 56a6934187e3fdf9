import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError, type LaunchApproval } from "@tokenctl/sdk";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { CliError, unlessMissing } from "../errors.ts";

const TICKER = /^[A-Z0-9]{2,10}$/;
const MORE = "Allow more with --max-launch-cost-sol";

const tickerOf = (name: string) => name.split(".")[0] ?? "";
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Adds a new file. If a power cut loses it, one more launch is allowed. */
async function addFile(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.${crypto.randomUUID()}`);
  await writeFile(path, "", { flag: "wx", mode: 0o600, flush: true });
  return path;
}

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
   * @throws {CliError} `launches_used_up`; otherwise what the request throws
   */
  async launch<T>({ ticker, key }: Launching, request: (key: string) => Promise<T>): Promise<T> {
    // The ticker becomes part of a file name, and a retry's ticker comes from the service.
    if (!TICKER.test(ticker)) {
      throw new CliError("invalid_response", "The service's ticker is not valid");
    }
    const day = dayOf(this.now());
    const launch = `${ticker}.${key(day)}`;
    const call = await addFile(join(this.folder, day), launch);
    // If two calls compete for a place, at least one fails.
    const names = await this.#names(day);
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
      await rename(call, join(this.folder, day, launch)).catch(unlessMissing);
    }
  }

  async #names(day = dayOf(this.now())): Promise<string[]> {
    return (await readdir(join(this.folder, day)).catch(unlessMissing)) ?? [];
  }

  #usedUp(tickers: ReadonlySet<string>): CliError {
    const message = `Launches today (UTC): ${[...tickers].join(", ")}. This MCP server allows ${this.limit} a day`;
    const hint = "Wait for the next UTC day, or allow more with --max-launches-per-day";
    return new CliError("launches_used_up", message, { hint });
  }
}

interface PaymentOptions {
  readonly folder: string;
  readonly now: () => number;
  /** Maximum cost of one launch, lamports. */
  readonly perLaunch: bigint;
  readonly launchesPerDay: number;
}

/**
 * Limits what the wallet pays for launches: for each one, and for all that it signs in a UTC day of
 * this machine, whatever the service says. Each signature has a file, which survives restarts. A
 * mint is created only once, so another signature for the same launch adds only the network fee of
 * a transaction that fails on chain.
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
  async approve({ tokenMint, costSOL }: Pick<LaunchApproval, "tokenMint" | "costSOL">) {
    this.check(costSOL.total);
    const { folder, now, perLaunch, launchesPerDay } = this.options;
    const today = join(folder, dayOf(now()));
    const paidFee = solToLamports(costSOL.networkFee);
    const paid = solToLamports(costSOL.total) - paidFee;
    const file = await addFile(today, `${tokenMint}.${paidFee}.${paid}`);
    let total = 0n;
    /** The highest cost of a mint's transactions, without their network fees. */
    const costs = new Map<string, bigint>();
    for (const name of await readdir(today)) {
      const [mint = "", fee = "", rest = ""] = name.split(".");
      const before = costs.get(mint) ?? 0n;
      const cost = BigInt(rest) > before ? BigInt(rest) : before;
      total += BigInt(fee) + cost - before;
      costs.set(mint, cost);
    }
    if (total <= perLaunch * BigInt(launchesPerDay)) return;
    await rm(file);
    const text = `Not signed: the launches of this UTC day would cost ${formatSol(total)} SOL, more than ${launchesPerDay} times the ${formatSol(perLaunch)} SOL allowed`;
    throw new CliError("launches_used_up", text, { hint: MORE });
  }
}
