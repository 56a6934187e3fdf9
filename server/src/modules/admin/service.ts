import type { AdminStatus, Pausable } from "@tokenctl/shared/operator-report";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Health } from "@tokenctl/shared/types";
import type { ChainName } from "@tokenctl/shared/words";
import { DAY_MS, HOUR_MS } from "../../base/clock.ts";
import { VERSION } from "../../base/version.ts";
import { type LaunchBudget, type LaunchLimits, orNull } from "../../domain/intake-limits.ts";
import type { SteeringPatch } from "../../domain/steering.ts";
import type { ChainProbe } from "../../launchpad/chain/probe.ts";
import type { Change } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";
import { type CurrentSteering, GONE_AFTER_MS } from "./steering.ts";

export class AdminError extends Error {
  override readonly name = "AdminError";

  constructor(
    readonly status: 400 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

export interface LaunchConfigs {
  readonly current: string;
  findProblem(config: string): Promise<string | null>;
}

export interface AdminServiceOptions {
  readonly store: Pick<Store, "operator" | "launches" | "takedowns" | "clock" | "isShared">;
  readonly steering: Pick<CurrentSteering, "current" | "read">;
  readonly chainMonitor: { readonly last: ChainProbe };
  readonly readHealth: () => Promise<Health>;
  readonly chain: ChainName;
  readonly configs: LaunchConfigs | null;
  readonly limits: LaunchLimits;
  readonly minAgentLamports: bigint;
  readonly budget: LaunchBudget;
  readonly consoleUrl: string | null;
  readonly onLaunchAccepted: () => void;
}

export interface Command {
  readonly actor: string;
  readonly reason: string | null;
}

/** Every change is in the audit table before it is answered. */
export class AdminService {
  constructor(readonly options: AdminServiceOptions) {}

  async status(): Promise<AdminStatus> {
    const health = await this.options.readHealth();
    if (health.db === "disconnected") throw new AdminError(409, health.message ?? "");
    const { store, steering, chainMonitor, chain, configs, limits, budget } = this.options;
    const { operator, launches } = store;
    const now = store.clock.now();
    const [backlog, state, lastHour, lastDay, servers] = await Promise.all([
      launches.backlog(),
      launches.intakeState({ wallet: "", now, readsPlaces: true }),
      operator.acceptedSince(now - HOUR_MS),
      operator.acceptedSince(now - DAY_MS),
      operator.servers(now - GONE_AFTER_MS),
    ]);
    const { ok, problem, warning = null, pace, walletLamports } = chainMonitor.last;
    const dayBudget = budget.dayBudget();
    const waiting = BigInt(state.pending.total - state.spending.reserved);
    const { version, ...settings } = steering.current;
    return {
      version: VERSION,
      health: { ok: health.ok, message: health.operatorMessage ?? health.message ?? null },
      database: store.isShared ? "postgresql" : "sqlite",
      chain: {
        name: chain,
        ok,
        problem,
        warning,
        config: configs?.current ?? null,
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
        lastHour,
        lastDay,
        agentsOfHour: state.places.used.total ?? 0,
        maxAgentsOfHour: orNull(limits.maxPerHour),
      },
      admission: {
        mode: limits.admission,
        minAgentSOL: lamportsToSol(this.options.minAgentLamports),
      },
      ...settings,
      steeringVersion: version,
      servers: servers.map((server) => ({
        ...server,
        isUpToDate: server.steeringVersion === version,
      })),
    };
  }

  async pause(what: Pausable, command: Command) {
    const { reason } = command;
    if (reason === null)
      throw new AdminError(400, "Agents read the reason: give one with --reason");
    return this.steer({ pauses: { [what]: reason } }, changeOf(command, "pause", what));
  }

  async resume(what: Pausable, command: Command) {
    await this.options.steering.read();
    if (this.options.steering.current.pauses[what] === undefined) {
      throw new AdminError(409, `${what} are not paused`);
    }
    return this.steer({ pauses: { [what]: null } }, changeOf(command, "resume", what));
  }

  /** A server applies a change of settings once it reports this version, or a greater one. */
  async steer(patch: SteeringPatch, change: Change) {
    const { version } = await this.options.store.operator.steer(patch, change);
    // This server applies it before it answers; the others learn of it at their next look.
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
