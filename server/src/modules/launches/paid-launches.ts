import { launchedTodayText } from "@tokenctl/shared/error-codes";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { LaunchAccepted, LaunchCost, PreparedLaunch } from "@tokenctl/shared/types";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { TransactionVersion } from "@tokenctl/shared/words";
import bs58 from "bs58";
import { ServiceError } from "../../base/service-error.ts";
import { type StartRefusal, StartRefusedError } from "../../domain/journal.ts";
import { readTransaction } from "../../http/body.ts";
import type { CrashPoint } from "../../launchpad/crash-point.ts";
import { AlreadyLaunchedError, RefusedError, throwAsServiceError } from "../../launchpad/errors.ts";
import type { LaunchPrice } from "../../launchpad/signing/paid-launch.ts";
import type { LaunchRow } from "../../store/launch-row.ts";
import type { Store } from "../../store/store.ts";
import type { SigningService } from "../signing/service.ts";

const SIGNED = "Launch signed. Poll its status to see when it is deployed.";

/** Launches that their agents pay for. They never enter the worker's queue. */
export class PaidLaunches {
  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly signing: SigningService;
      readonly maxPerHour: number;
      readonly crashPoint?: CrashPoint | undefined;
    },
  ) {}

  /** Step 1: builds the transaction. Changes nothing unless the token is on chain already. */
  async prepare(
    wallet: string,
    eventId: string,
    version?: TransactionVersion,
  ): Promise<PreparedLaunch> {
    const { store, signing, crashPoint } = this.deps;
    const launch = await this.#find(wallet, eventId);
    const secondsLeft = ((launch.signBy ?? 0) - store.clock.now()) / 1000;
    if (!isWaiting(launch) || secondsLeft <= 0) throw notSignable(launch);
    await this.#ensureTurn(eventId);
    const built = await signing.chain
      .buildLaunch(launch, version)
      .catch((fault: unknown) => this.#throw(launch, fault));
    const { cost, token, terms, metadataUri } = built;
    const agentLamports = totalOf(cost).toString();
    const what = { kind: "launch", wallet, launchSeq: launch.seq } as const;
    // The transaction expires at the launch's deadline at the latest.
    const expiresInSeconds = Math.min(built.expiresInSeconds, Math.ceil(secondsLeft));
    const handedOut = await signing.handOut(
      { ...what, launch: { ...token, terms, agentLamports } },
      { ...built, expiresInSeconds },
    );
    await crashPoint?.("launch.handed_out");
    return { ...handedOut, costSOL: costToWire(cost), ...token, config: terms.config, metadataUri };
  }

  /** Step 2: resolves once the bytes with the mint's signature are on disk, also of a repeat. */
  async submit(
    wallet: string,
    eventId: string,
    signedTransaction: string,
  ): Promise<LaunchAccepted> {
    const { signing, maxPerHour } = this.deps;
    const launch = await this.#find(wallet, eventId);
    const answer = { success: true, eventId, message: SIGNED } as const;
    if (isSignedAs(launch, readTransaction(signedTransaction))) return answer;
    if (!isWaiting(launch)) throw notSignable(launch);
    const isIt = ({ launchSeq }: { launchSeq: number | null }) => launchSeq === launch.seq;
    const accepted = await signing.accept({ kind: "launch", wallet }, signedTransaction, isIt);
    await this.#ensureTurn(eventId);
    try {
      const { stored } = await signing.send(accepted, {
        cosign: (handedOut) => signing.chain.cosign(handedOut),
        limits: { maxPerHour },
      });
      await stored;
    } catch (error) {
      if (error instanceof StartRefusedError) throw await this.#refusal(launch, error.reason);
      const { cause } = Object(error) as { cause?: unknown };
      // The chain refused it for good: its ticker is free at once.
      if (cause instanceof RefusedError) {
        const ending = { status: "failed", error: cause.message } as const;
        await this.deps.store.launches.endPaid(eventId, "unsigned", ending);
      }
      return this.#throw(launch, error);
    }
    return answer;
  }

  async #refusal(launch: LaunchRow, reason: StartRefusal): Promise<ServiceError> {
    const { store, maxPerHour } = this.deps;
    const { eventId, wallet } = launch;
    switch (reason) {
      case "paused":
        return new ServiceError("paused", { text: "Launches are paused" });
      case "wallet_blocked":
        return new ServiceError("wallet_blocked");
      case "launch_rate_limit":
        return tooSoon(await store.launches.startsIn(eventId, maxPerHour));
      case "another_undecided":
        return new ServiceError("not_signable", {
          advice:
            "Another launch of this wallet is being deployed. Sign this one when that has ended.",
        });
      case "launched_today": {
        const ending = { status: "rate_limited", error: launchedTodayText } as const;
        await store.launches.endPaid(eventId, "unsigned", ending);
        return notSignable(await this.#find(wallet, eventId));
      }
      default:
        return notSignable(await this.#find(wallet, eventId));
    }
  }

  /** Throws a fault. If the token is on chain already, first records that the launch succeeded. */
  async #throw(launch: LaunchRow, fault: unknown): Promise<never> {
    if (!(fault instanceof AlreadyLaunchedError)) return throwAsServiceError(fault);
    await this.deps.store.launches.succeed(launch, "unsigned", fault.token);
    throw new ServiceError("not_signable", { advice: `${fault.message}.` });
  }

  /** Throws if the launch may not start yet: its transaction would expire before that. */
  async #ensureTurn(eventId: string): Promise<void> {
    const ms = await this.deps.store.launches.startsIn(eventId, this.deps.maxPerHour);
    if (ms > 0) throw tooSoon(ms);
  }

  async #find(wallet: string, eventId: string): Promise<LaunchRow> {
    const launch = await this.deps.store.launches.read(wallet, eventId);
    if (launch === null) throw new ServiceError("launch_not_found");
    return launch;
  }
}

export function costToWire({ rent, networkFee, creationFee, firstBuy }: LaunchPrice): LaunchCost {
  return {
    total: lamportsToSol(totalOf({ rent, networkFee, creationFee, firstBuy })),
    rent: lamportsToSol(rent),
    networkFee: lamportsToSol(networkFee),
    creationFee: lamportsToSol(creationFee),
    firstBuy: lamportsToSol(firstBuy),
  };
}

function totalOf({ rent, networkFee, creationFee, firstBuy }: LaunchPrice): bigint {
  return rent + networkFee + creationFee + firstBuy;
}

function tooSoon(ms: number): ServiceError {
  return new ServiceError("launch_rate_limit", {
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
    advice: "It cannot be started before then, and its transaction would expire: sign nothing.",
  });
}

function isWaiting({ payer, status, signature }: LaunchRow): boolean {
  return payer === "agent" && status === "pending" && signature === null;
}

/** Whether this transaction was accepted before. The agent's signature comes first. */
function isSignedAs({ payer, signature }: LaunchRow, transaction: Uint8Array): boolean {
  if (payer !== "agent" || signature === null) return false;
  try {
    const [first] = splitTransaction(transaction).signatures;
    return first !== undefined && signature === bs58.encode(first);
  } catch {
    return false;
  }
}

function notSignable({ payer, status, signature }: LaunchRow): ServiceError {
  const advice =
    payer !== "agent"
      ? "The service pays for it."
      : status !== "pending"
        ? `Its status is ${status}.`
        : signature !== null
          ? "Another transaction of it is signed, and may still land."
          : "The time to sign it is over.";
  return new ServiceError("not_signable", { advice });
}
