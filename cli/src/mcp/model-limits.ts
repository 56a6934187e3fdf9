import { createHash } from "node:crypto";
import { join } from "node:path";
import type { LaunchRequest, TokenctlClient } from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import { solToLamports } from "@tokenctl/shared/sol";
import { ClaimBudget } from "../claim-terms.ts";
import { CliError } from "../errors.ts";
import { LaunchAllowance, type Launching, LaunchPayments } from "./launch-limits.ts";

/** The limits set by the person who starts `tokenctl mcp`. No tool argument changes them. */
export interface Guards {
  readonly readOnly: boolean;
  readonly maxLaunchesPerDay: number;
  /** Whether the server's chain may be one other than a sandbox or a localnet. */
  readonly allowMainnet: boolean;
  /** Whether the client's user is asked before a launch or a claim. */
  readonly confirm: boolean;
  /** Absolute path of the only folder whose images may be uploaded; null for none. */
  readonly filesDir: string | null;
  /** Maximum cost of all claims of this process, SOL. */
  readonly maxTotalFeeSol: number;
  /** Maximum cost of a launch that the wallet pays for, SOL; null if it pays for none. */
  readonly maxLaunchCostSol: number | null;
}

/** Limits what a model does with the wallet, and counts what it has done. */
export class ModelLimits {
  readonly launches: LaunchAllowance;
  /** Null if the wallet pays for no launches. */
  readonly payments: LaunchPayments | null;
  /** For all claims of this process. */
  readonly budget: ClaimBudget;
  #wasChainAllowed = false;

  /** @param folder for one wallet at one service */
  constructor(
    readonly guards: Guards,
    private readonly client: TokenctlClient,
    folder: string,
  ) {
    const { maxLaunchCostSol, maxLaunchesPerDay, maxTotalFeeSol } = guards;
    this.launches = new LaunchAllowance(folder, maxLaunchesPerDay, Date.now);
    this.payments =
      maxLaunchCostSol === null
        ? null
        : new LaunchPayments({
            folder: join(folder, "paid"),
            now: Date.now,
            perLaunch: solToLamports(maxLaunchCostSol),
            launchesPerDay: maxLaunchesPerDay,
          });
    this.budget = new ClaimBudget(solToLamports(maxTotalFeeSol));
  }

  /**
   * Refuses a server on a public chain unless the owner allows it. Each write reads the chain
   * again, because the server may have changed. @throws {CliError}
   */
  async checkChain(isWrite: boolean, signal: AbortSignal): Promise<void> {
    if (this.guards.allowMainnet || (this.#wasChainAllowed && !isWrite)) return;
    const network = await this.client.network({ signal });
    this.#wasChainAllowed = PLAY.includes(network);
    if (this.#wasChainAllowed) return;
    const text =
      network === undefined
        ? "The service does not name its chain"
        : `The service is on ${network}, and only sandbox and localnet services are allowed`;
    throw new CliError("mainnet_not_allowed", text, { hint: "Allow it with --allow-mainnet" });
  }

  /**
   * Refuses to sign what can land where SOL has a value, unless the owner allows it. Does not trust
   * the service's name of its chain. @throws {CliError}
   */
  async checkBytes(transaction: string, signal: AbortSignal): Promise<void> {
    if (this.guards.allowMainnet || !(await this.client.hasValue(transaction, { signal }))) return;
    const text = "Not signed: the transaction can land on a chain where SOL has a value";
    throw new CliError("mainnet_not_allowed", text, {
      hint: "Allow it with --allow-mainnet, or show with --rpc-url that the chain is a localnet",
    });
  }

  mayPay(): LaunchPayments {
    if (this.payments) return this.payments;
    throw new CliError("payment_not_allowed", "The wallet would have to pay for the launch", {
      hint: "Allow it with --pay and --max-launch-cost-sol",
    });
  }

  /** Identifies a launch by content and UTC day: a failed one's ticker is free a day later. */
  launching(request: LaunchRequest): Launching {
    const fields = Object.entries(request)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const key = (day: string) => {
      const content = JSON.stringify([this.client.address, day, fields]);
      return `mcp-${createHash("sha256").update(content).digest("hex")}`;
    };
    return { ticker: request.ticker, key };
  }
}
