import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LaunchApproval } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { create, filesIn } from "./launch-allowance.ts";
import { Refusal } from "./refusal.ts";

const ONLY_OWNER =
  "Only the person who starts this MCP server can allow more, with --max-launch-cost-sol.";

const PREFIX = "paid-";

interface PaymentOptions {
  /** For one wallet at one service. */
  readonly folder: string;
  readonly now: () => number;
  /** Lamports that one launch may cost. */
  readonly perLaunch: bigint;
  readonly launchesPerDay: number;
}

/**
 * Limits what the wallet pays for launches: for each one, and for all that are signed in a UTC day of this
 * machine, whatever the service says. Each signature is a file, which survives a restart. A mint is created
 * once, so a launch that is signed again adds only a network fee: that of a transaction that lands and fails.
 */
export class LaunchPayments {
  constructor(private readonly options: PaymentOptions) {}

  /** SOL that one launch may cost, in plain digits. */
  get maxCostSOL(): string {
    return formatSol(this.options.perLaunch);
  }

  /** @throws {Refusal} `launch_too_dear` if the amount alone is more than a launch may cost */
  check(sol = 0): void {
    if (solToLamports(sol) <= this.options.perLaunch) return;
    const text = `It would cost ${formatSol(solToLamports(sol))} SOL, more than the ${this.maxCostSOL} SOL allowed`;
    throw new Refusal("launch_too_dear", text, ONLY_OWNER);
  }

  /** Counts a launch that is about to be signed. @throws {Refusal} if it may not be */
  async approve({
    tokenMint,
    costSOL,
  }: Pick<LaunchApproval, "tokenMint" | "costSOL">): Promise<void> {
    this.check(costSOL.total);
    // It becomes the name of a file.
    if (!/^[1-9A-Za-z]{1,44}$/.test(tokenMint)) {
      throw new Refusal("invalid_response", "The launch's mint address is not valid");
    }
    const { perLaunch, launchesPerDay } = this.options;
    const folder = join(
      this.options.folder,
      new Date(this.options.now()).toISOString().slice(0, 10),
    );
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fee = solToLamports(costSOL.networkFee);
    const rest = solToLamports(costSOL.total) - fee;
    const name = `${PREFIX}${tokenMint}.${fee}.${rest}.${crypto.randomUUID()}`;
    await create(join(folder, name));
    // The second of two processes finds both files: both may be refused, never neither.
    const total = totalOf(await filesIn(folder, PREFIX));
    if (total > perLaunch * BigInt(launchesPerDay)) {
      await rm(join(folder, name));
      const text = `Not signed: the launches of this UTC day would cost ${formatSol(total)} SOL, more than ${launchesPerDay} times the ${this.maxCostSOL} SOL allowed`;
      throw new Refusal("launches_used_up", text, ONLY_OWNER);
    }
  }
}

/** @returns lamports: each network fee, and the most that a transaction of each mint takes beside it */
function totalOf(files: readonly string[]): bigint {
  const most = new Map<string, bigint>();
  let total = 0n;
  for (const file of files) {
    const [mint = "", fee = "", rest = ""] = file.slice(PREFIX.length).split(".");
    const before = most.get(mint) ?? 0n;
    const more = BigInt(rest) > before ? BigInt(rest) - before : 0n;
    most.set(mint, before + more);
    total += BigInt(fee) + more;
  }
  return total;
}
