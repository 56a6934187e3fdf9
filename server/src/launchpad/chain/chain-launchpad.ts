import { randomInt } from "node:crypto";
import type { Connection, Keypair } from "@solana/web3.js";
import type { Clock } from "../../base/clock.ts";
import { Confirmer, type ConfirmerOptions } from "../../solana/confirmer.ts";
import { isHealthy } from "../../solana/health.ts";
import { type FeeCaps, PriorityFees } from "../../solana/priority-fee.ts";
import { SharedRead } from "../../solana/shared-read.ts";
import type { Checkpoint } from "../checkpoint.ts";
import type {
  AttemptJournal,
  ChainProbe,
  ConfirmedClaim,
  DeployedToken,
  LaunchOrder,
  Launchpad,
  SignedClaim,
  TokenFees,
  TokenRef,
  UnreadableFees,
  UnsignedClaim,
} from "../launchpad.ts";
import type { PoolProgram } from "../pool-program.ts";
import { buildClaim } from "./build-claim.ts";
import type { ChainContext } from "./context.ts";
import { deploy } from "./deploy.ts";
import { probe } from "./probe.ts";
import { withProgramErrors } from "./rpc-errors.ts";
import type { StalledNode } from "./stalled-node.ts";
import { submitClaim } from "./submit-claim.ts";
import { type SpendBook, WalletGuard, type WalletLimits } from "./wallet-guard.ts";

export interface ChainLaunchpadOptions {
  /** From `createConnection`: its requests end in time. */
  readonly connection: Connection;
  /** Likewise, within `PROBE_TIMEOUT_MS`; by default the same. */
  readonly probeConnection?: Connection;
  /** Pays for launches. */
  readonly wallet: Keypair;
  readonly program: PoolProgram;
  readonly spendBook: SpendBook;
  readonly clock: Clock;
  readonly limits: WalletLimits & FeeCaps;
  readonly confirmer?: ConfirmerOptions;
  /** Notices a node that stands still; without it nobody does. */
  readonly stalledNode?: StalledNode;
  /** Crash tests stop here; nothing happens by default. */
  readonly checkpoint?: Checkpoint;
}

/** For how long a node's word that it keeps up is taken: every second probe asks for it. */
const HEALTHY_FOR_MS = 4_000;

/** How long it is believed that nothing, or something, stands in the way of launching. */
const FINE_FOR_MS = 60_000;
const BROKEN_FOR_MS = 5_000;

/** How many numbers claims have; they are worth compute units, so there are few. */
const CLAIM_NUMBERS = 5_000;

/**
 * The launchpad of any chain that is reached through a connection. A launch costs four requests:
 * a look at mint and wallet, the simulation, recent fees (shared), and sending it. Confirmations are
 * one request a tick for everything in flight.
 */
export class ChainLaunchpad implements Launchpad {
  readonly #chain: ChainContext;

  constructor(options: ChainLaunchpadOptions) {
    const { connection, wallet, program, spendBook, clock, limits } = options;
    const probeConnection = options.probeConnection ?? connection;
    const pause =
      options.confirmer?.pause ??
      ((milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)));
    let claims = randomInt(CLAIM_NUMBERS);
    this.#chain = {
      connection,
      probeConnection,
      wallet,
      program,
      confirmer: new Confirmer(connection, { ...options.confirmer, pause }),
      fees: new PriorityFees(connection, [wallet.publicKey], clock),
      feeCaps: limits,
      guard: new WalletGuard(wallet.publicKey.toBase58(), limits, spendBook, clock),
      health: new SharedRead(
        () => isHealthy(probeConnection),
        (healthy) => (healthy ? HEALTHY_FOR_MS : 0),
        clock,
      ),
      problem: new SharedRead(
        () => withProgramErrors(() => program.problem(probeConnection)),
        (problem) => (problem === null ? FINE_FOR_MS : BROKEN_FOR_MS),
        clock,
      ),
      stalledNode: options.stalledNode ?? null,
      checkpoint: options.checkpoint ?? (() => {}),
      claimNumber: () => claims++ % CLAIM_NUMBERS,
      pause,
    };
  }

  deploy(order: LaunchOrder, journal: AttemptJournal, signal: AbortSignal): Promise<DeployedToken> {
    return deploy(this.#chain, order, journal, signal);
  }

  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]> {
    return withProgramErrors(() => this.#chain.program.readFees(agent, tokens));
  }

  buildClaim(agent: string, token: TokenRef): Promise<UnsignedClaim | null> {
    return buildClaim(this.#chain, agent, token);
  }

  submitClaim(claim: SignedClaim, signal: AbortSignal): Promise<ConfirmedClaim> {
    return submitClaim(this.#chain, claim, signal);
  }

  /** Whether the day's limit leaves no room for another launch, as far as is known. */
  isSpentToday(): boolean {
    return this.#chain.guard.isSpentToday();
  }

  probe(): Promise<ChainProbe> {
    return probe(this.#chain);
  }
}
