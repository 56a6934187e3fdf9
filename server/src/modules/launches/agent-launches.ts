import type { LaunchAccepted, PreparedLaunch } from "@tokenctl/shared/types";
import bs58 from "bs58";
import { ServiceError } from "../../base/service-error.ts";
import { readTransaction } from "../../http/body.ts";
import { AlreadyLaunchedError, throwAsServiceError } from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";
import type { LaunchRow } from "../../store/launch-row.ts";
import type { Store } from "../../store/store.ts";
import { costToWire } from "./payment.ts";

const SIGNED = "Launch signed. Poll its status to see when it is deployed.";

export interface AgentLaunchesOptions {
  readonly onSigned: () => void;
  readonly maxPerHour: number;
}

export class AgentLaunches {
  constructor(
    private readonly store: Pick<Store, "clock" | "launches">,
    private readonly chain: Pick<Launchpad, "buildLaunch" | "acceptLaunch">,
    private readonly options: AgentLaunchesOptions,
  ) {}

  /**
   * Step 1: builds the transaction. It changes nothing, unless the token is on chain already. @throws
   * {ServiceError} 404, 409 if it does not wait for a signature or the wallet cannot pay, 429 if it may not
   * be started yet, 502, 503
   */
  async prepare(wallet: string, eventId: string): Promise<PreparedLaunch> {
    const launch = await this.#waiting(wallet, eventId);
    await this.#ensureTurn(eventId);
    const built = await this.chain
      .buildLaunch(launch)
      .catch((fault: unknown) => this.#notBuilt(eventId, fault));
    return {
      success: true,
      transaction: Buffer.from(built.transaction).toString("base64"),
      expiresInSeconds: built.expiresInSeconds,
      costSOL: costToWire(built.cost),
      ...built.token,
      config: built.terms.config,
      metadataUri: built.metadataUri,
    };
  }

  /**
   * Step 2: takes what the agent has signed, and puts the launch in the queue. The same transaction
   * again gets the same answer. @throws {ServiceError} as step 1, and 400
   */
  async submit(
    wallet: string,
    eventId: string,
    signedTransaction: string,
  ): Promise<LaunchAccepted> {
    const transaction = readTransaction(signedTransaction);
    const launch = await this.#find(wallet, eventId);
    if (!isSignedAs(launch, transaction)) await this.#take(launch, transaction);
    this.options.onSigned();
    return { success: true, eventId, message: SIGNED };
  }

  async #take(launch: LaunchRow, transaction: Uint8Array): Promise<void> {
    const { wallet, eventId, payer, status } = launch;
    if (payer !== "agent" || status !== "pending") throw notSignable(launch);
    if (!(await this.chain.acceptLaunch(launch, transaction).catch(throwAsServiceError))) {
      throw new ServiceError("launch_mismatch");
    }
    await this.#ensureTurn(eventId);
    if (await this.store.launches.recordAgentSigned(eventId, transaction)) return;
    const now = await this.#find(wallet, eventId);
    if (!isSignedAs(now, transaction)) throw notSignable(now);
  }

  async #notBuilt(eventId: string, fault: unknown): Promise<never> {
    if (!(fault instanceof AlreadyLaunchedError)) return throwAsServiceError(fault);
    // The worker finds it there, and records it.
    await this.store.launches.recordAgentSigned(eventId, null);
    this.options.onSigned();
    throw new ServiceError("not_signable", { advice: `${fault.message}.` });
  }

  async #waiting(wallet: string, eventId: string): Promise<LaunchRow> {
    const launch = await this.#find(wallet, eventId);
    if (launch.signBy === null || launch.signBy <= this.store.clock.now()) {
      throw notSignable(launch);
    }
    return launch;
  }

  /** What is signed too early would expire in the queue. */
  async #ensureTurn(eventId: string): Promise<void> {
    const ms = await this.store.launches.startsIn(eventId, this.options.maxPerHour);
    if (ms > 0) {
      throw new ServiceError("launch_rate_limit", {
        retryAfterSeconds: Math.ceil(ms / 1000),
        advice: "It cannot be started before then, and its transaction would expire: sign nothing.",
      });
    }
  }

  async #find(wallet: string, eventId: string): Promise<LaunchRow> {
    const launch = await this.store.launches.findUnsigned(wallet, eventId);
    if (launch === null) throw new ServiceError("launch_not_found");
    return launch;
  }
}

/** Whether this was taken before; the mint may have signed it since. */
function isSignedAs({ payer, agentSigned, signature }: LaunchRow, transaction: Uint8Array) {
  if (payer !== "agent") return false;
  if (agentSigned && Buffer.compare(agentSigned, transaction) === 0) return true;
  // The agent's signature comes first, after their count.
  return signature !== null && signature === bs58.encode(transaction.subarray(1, 65));
}

function notSignable({ payer, status, signBy }: LaunchRow): ServiceError {
  const advice =
    payer !== "agent"
      ? "The service pays for it."
      : status !== "pending"
        ? `Its status is ${status}.`
        : signBy === null
          ? "Another transaction of it is signed, and may still land."
          : "The time to sign it is over.";
  return new ServiceError("not_signable", { advice });
}
