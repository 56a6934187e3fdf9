import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Health } from "@tokenctl/shared/types";
import type { ChainName } from "@tokenctl/shared/words";
import type { Logger } from "pino";
import { PeriodicTask } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { VERSION } from "../../base/version.ts";
import { type LaunchBudget, type LaunchLimits, orNull } from "../../domain/intake-limits.ts";
import {
  type Pausable,
  type Steering,
  type SteeringPatch,
  UNSTEERED,
} from "../../domain/steering.ts";
import type { ChainProbe } from "../../launchpad/chain/chain-launchpad.ts";
import { claimableOf, type PartnerProgram } from "../../launchpad/pool-program.ts";
import type { Change, Operator, ServerReport } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";

export class AdminError extends Error {
  override readonly name = "AdminError";

  constructor(
    readonly status: 400 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

export interface AdminServiceOptions {
  readonly store: Store;
  readonly steering: CurrentSteering;
  readonly chainMonitor: { readonly last: ChainProbe };
  readonly readHealth: () => Promise<Health>;
  readonly chain: ChainName;
  readonly dbcConfig: string | null;
  readonly limits: LaunchLimits;
  readonly minAgentLamports: bigint;
  readonly budget: LaunchBudget;
  readonly onLaunchAccepted: () => void;
}

export interface Command {
  readonly actor: string;
  readonly reason: string | null;
}

/** Every change is in the audit table before it is answered. */
export class AdminService {
  constructor(readonly options: AdminServiceOptions) {}

  /** Amounts are in SOL, times in Unix milliseconds; null for what is not known or has no limit. */
  async status() {
    const health = await this.options.readHealth();
    if (health.db === "disconnected") throw new ServiceError("database_unavailable");
    const { store, steering, chainMonitor, chain, dbcConfig, limits, budget } = this.options;
    const { operator, launches } = store;
    const now = store.clock.now();
    const [backlog, state, servers] = await Promise.all([
      launches.backlog(),
      launches.intakeState({ wallet: "", now, readsPlaces: true }),
      operator.servers(now - GONE_AFTER_MS),
    ]);
    const { ok, problem, warning = null, pace, walletLamports } = chainMonitor.last;
    const dayBudget = budget.dayBudget();
    const waiting = BigInt(state.pending.total - state.spending.reserved);
    const { version, pauses } = steering.current;
    return {
      version: VERSION,
      health: { ok: health.ok, message: health.operatorMessage ?? health.message ?? null },
      database: store.isShared ? "postgresql" : "sqlite",
      chain: {
        name: chain,
        ok,
        problem,
        warning,
        config: dbcConfig,
        msPerBlock: pace?.msPerBlock ?? null,
        lamportsPerByte: pace ? Number(pace.rentPerByte) : null,
      },
      wallet: {
        balanceSOL: walletLamports === null ? null : lamportsToSol(walletLamports),
        spentTodaySOL: lamportsToSol(state.spending.lamports),
        committedSOL:
          dayBudget && lamportsToSol(state.spending.lamports + waiting * dayBudget.launchLamports),
        maxDailySpendSOL: dayBudget && lamportsToSol(dayBudget.maxDailyLamports),
      },
      queue: { ...backlog, limit: orNull(limits.maxPending) },
      rates: {
        agentsOfHour: state.places.used.total ?? 0,
        maxAgentsOfHour: orNull(limits.maxPerHour),
      },
      admission: {
        mode: limits.admission,
        minAgentSOL: lamportsToSol(this.options.minAgentLamports),
      },
      pauses,
      steeringVersion: version,
      servers: servers.map(({ settings: _, ...server }) => ({
        ...server,
        isUpToDate: server.steeringVersion === version,
      })),
    };
  }

  async pause(what: Pausable, command: Command) {
    const { reason } = command;
    if (reason === null)
      throw new AdminError(400, "Agents read the reason: give one with --reason");
    return this.#steer({ pauses: { [what]: reason } }, changeOf(command, "pause", what));
  }

  async resume(what: Pausable, command: Command) {
    await this.options.steering.read();
    if (this.options.steering.current.pauses[what] === undefined) {
      throw new AdminError(409, `${what} are not paused`);
    }
    return this.#steer({ pauses: { [what]: null } }, changeOf(command, "resume", what));
  }

  /** A server that reports this version or a later one has applied the change. */
  async #steer(patch: SteeringPatch, change: Change) {
    const { version } = await this.options.store.operator.steer(patch, change);
    await this.options.steering.read();
    return { steeringVersion: version };
  }
}

export function changeOf(
  { actor, reason }: Command,
  action: string,
  subject: string | null,
): Change {
  return { actor, action, subject, detail: null, reason };
}

/** How many of the latest tokens are read from the chain: five RPC calls. */
const TOKENS_READ = 500;

export async function readClaimable(
  { tokens }: Store,
  partner: (() => Promise<PartnerProgram>) | null,
): Promise<bigint | null> {
  if (partner === null) return null;
  const latest = await tokens.latest(TOKENS_READ, { withHidden: true });
  const revenues = await (await partner()).readRevenue(latest);
  return revenues.reduce((sum, one) => sum + ("unreadable" in one ? 0n : claimableOf(one)), 0n);
}

export class CurrentSteering {
  current: Steering = UNSTEERED;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly operator: Operator,
    private readonly log: Logger,
    private readonly onChange: () => void,
  ) {
    operator.saw = (version) => {
      if (version !== this.current.version) void this.#follow();
    };
  }

  /** Reads the settings, and applies them before it resolves. */
  read(): Promise<void> {
    // Reads take turns, so that no caller gets settings that were read before it asked.
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => {});
    return read;
  }

  async #read(): Promise<void> {
    const read = await this.operator.steering();
    if (read.version === this.current.version) return;
    this.current = read;
    this.onChange();
  }

  /** Never throws: the store names the version again, which repeats the read. */
  async #follow(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.log.error({ err: error }, "the operator's settings could not be read");
    }
  }
}

/** Names the settings that differ from those of other servers; null if none do. */
function differenceFrom(
  others: readonly Pick<ServerReport, "settings">[],
  own: ServerReport["settings"],
): string | null {
  const names = Object.entries(own ?? {}).flatMap(([name, value]) =>
    others.some(({ settings }) => (settings?.[name] ?? value) !== value) ? name : [],
  );
  if (names.length === 0) return null;
  return `Another server of this database has a different ${names.join(", ")}: give all servers the same`;
}

const INTERVAL_MS = 30_000;

const GONE_AFTER_MS = 75_000;

export class ServerReports extends PeriodicTask {
  /** How many servers of the database run, this one included. */
  live = 1;
  /** What this server should have the same as another one that runs; null if it has. */
  problem: string | null = null;

  constructor(
    private readonly store: Store,
    private readonly server: () => ServerReport,
    log: Logger,
  ) {
    const { operator, clock } = store;
    super({
      clock,
      run: async () => {
        const others = await operator.report(server(), clock.now() - GONE_AFTER_MS);
        this.live = 1 + others.length;
        const problem = differenceFrom(others, server().settings);
        if (problem !== null && problem !== this.problem) log.warn(problem);
        this.problem = problem;
        return INTERVAL_MS;
      },
      onError: (error) => log.warn({ err: error }, "the server could not report itself"),
      retryMs: [1_000, INTERVAL_MS],
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    // Otherwise the others count it until it seems gone.
    await this.store.operator.forget(this.server().id).catch(() => {});
  }
}
