import { randomBytes } from "node:crypto";
import type { AdminStatus, Pausable } from "@tokenctl/shared/operator-report";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Health } from "@tokenctl/shared/types";
import type { ChainName } from "@tokenctl/shared/words";
import { decodeAddress } from "../../base/base58.ts";
import { DAY_MS, HOUR_MS } from "../../base/utc-day.ts";
import { VERSION } from "../../base/version.ts";
import {
  type LaunchBudget,
  type LaunchLimits,
  orNull,
  UNBOUNDED,
} from "../../domain/intake-limits.ts";
import type { SteeringPatch } from "../../domain/steering.ts";
import type { ChainProbe } from "../../launchpad/chain/probe.ts";
import {
  type Change,
  inviteHash,
  linkHash,
  type Operator,
  type ServerReport,
} from "../../store/operator.ts";
import type { LaunchFilter, WholeLaunchReport } from "../../store/operator-reads.ts";
import type { Store } from "../../store/store.ts";
import type { Erased, HiddenToken } from "../../store/takedowns.ts";
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

const RULES = {
  block: { list: "blocked", isOn: true },
  unblock: { list: "blocked", isOn: false },
  allow: { list: "allowed", isOn: true },
  disallow: { list: "allowed", isOn: false },
} as const;
export type Rule = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as Rule[];
const LISTS = { blocked: "block list", allowed: "allowlist" } as const;

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

const LINK_MS = 600_000;

/** A change of settings. A server applies it once it reports this version, or a greater one. */
type SettingsChange = Pick<ServerReport, "steeringVersion">;

export interface Command {
  readonly actor: string;
  readonly reason: string | null;
}

/** 20 letters and digits that are hard to confuse: 100 bits. */
const CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 20;

/** Every change is in the audit table before it is answered. */
export class AdminService {
  readonly operator: Operator;

  constructor(private readonly options: AdminServiceOptions) {
    this.operator = options.store.operator;
  }

  async status(): Promise<AdminStatus> {
    const health = await this.options.readHealth();
    if (health.db === "disconnected") throw new AdminError(409, health.message ?? "");
    const { store, steering, chainMonitor, chain, configs, limits, budget } = this.options;
    const now = store.clock.now();
    const [backlog, state, lastHour, lastDay, servers] = await Promise.all([
      store.launches.backlog(),
      store.launches.intakeState({ wallet: "", now, readsPlaces: true }),
      this.operator.acceptedSince(now - HOUR_MS),
      this.operator.acceptedSince(now - DAY_MS),
      this.operator.servers(now - GONE_AFTER_MS),
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

  async launch(eventId: string): Promise<WholeLaunchReport> {
    const launch = await this.operator.launch(eventId);
    if (!launch) throw noLaunch(eventId);
    return launch;
  }

  async setRule(rule: Rule, wallet: string, command: Command): Promise<{ wallet: string }> {
    requireAddress(wallet);
    const change = changeOf(command, rule, wallet);
    if (await this.operator.setRule(wallet, RULES[rule], change)) return { wallet };
    const { isOn } = RULES[rule];
    const list = LISTS[RULES[rule].list];
    // A reason may be added later.
    if (!isOn || command.reason === null) {
      throw new AdminError(409, `${wallet} is ${isOn ? "already" : "not"} on the ${list}`);
    }
    await this.operator.record({ ...change, detail: `already on the ${list}` });
    return { wallet };
  }

  async setHidden(token: string, isHidden: boolean, command: Command): Promise<HiddenToken> {
    if (isHidden && command.reason === null)
      throw new AdminError(400, "The audit needs the reason: give one with --reason");
    const change = changeOf(command, isHidden ? "hide" : "unhide", null);
    const found = await this.options.store.takedowns.setHidden(token, isHidden, change);
    if (found === null) throw new AdminError(404, `There is no token ${token}`);
    if (found.kind === "changed") return found;
    throw new AdminError(409, `${found.ticker} is ${isHidden ? "already" : "not"} hidden`);
  }

  async forget(wallet: string, command: Command): Promise<{ wallet: string; erased: Erased }> {
    requireAddress(wallet);
    const change = changeOf(command, "forget", wallet);
    const erased = await this.options.store.takedowns.forget(wallet, change);
    if (erased !== null) return { wallet, erased };
    const text = `Launches of ${wallet} wait: tokend admin cancel --wallet ${wallet} ends them`;
    throw new AdminError(409, text);
  }

  /** Returns the invites with their codes, which cannot be read again. */
  async createInvites(
    of: { count: number; uses: number; note?: string; expiresInDays?: number },
    command: Command,
  ) {
    const { count, uses, note = null, expiresInDays } = of;
    const codes = Array.from({ length: count }, newCode);
    const expiresAt = expiresInDays
      ? this.options.store.clock.now() + expiresInDays * DAY_MS
      : null;
    const made = await this.operator.createInvites(
      codes.map((code) => ({ codeHash: inviteHash(code), note, maxUses: uses, expiresAt })),
      { ...changeOf(command, "invites create", null), detail: `${count} of ${uses} uses` },
    );
    return { invites: made.map((invite, index) => ({ ...invite, code: codes[index] ?? "" })) };
  }

  async revokeInvite(id: number, command: Command): Promise<{ id: number }> {
    const change = changeOf(command, "invites revoke", String(id));
    if (await this.operator.revokeInvite(id, change)) return { id };
    throw new AdminError(404, `There is no invite ${id}, or it was revoked before`);
  }

  async pause(what: Pausable, command: Command): Promise<SettingsChange> {
    const { reason } = command;
    if (reason === null)
      throw new AdminError(400, "Agents read the reason: give one with --reason");
    return this.#steer({ pauses: { [what]: reason } }, changeOf(command, "pause", what));
  }

  async resume(what: Pausable, command: Command): Promise<SettingsChange> {
    await this.options.steering.read();
    if (this.options.steering.current.pauses[what] === undefined) {
      throw new AdminError(409, `${what} are not paused`);
    }
    return this.#steer({ pauses: { [what]: null } }, changeOf(command, "resume", what));
  }

  async setLogLevel(level: string | null, command: Command): Promise<SettingsChange> {
    const change = changeOf(command, "log-level", level ?? "of the environment");
    return this.#steer({ logLevel: level }, change);
  }

  async useConfig(config: string | null, command: Command): Promise<SettingsChange> {
    const { configs } = this.options;
    if (!configs) throw new AdminError(409, "The sandbox (CHAIN=local) has no config");
    if (config !== null) {
      if (!decodeAddress(config)) throw new AdminError(400, `${config} is not a base58 address`);
      const problem = await configs.findProblem(config);
      if (problem !== null) throw new AdminError(409, problem);
    }
    const change = changeOf(command, "use-config", config ?? "of the environment");
    return this.#steer({ dbcConfig: config }, change);
  }

  /** Puts a launch back in the queue, outside all quotas. @throws {AdminError} 404, 409 */
  async retry(eventId: string, command: Command): Promise<{ eventId: string }> {
    const { store, onLaunchAccepted, limits } = this.options;
    const { payers, signWithinMs } = limits;
    const { wallet, ticker } = await this.launch(eventId);
    const request = { wallet, eventId, address: null, now: store.clock.now() };
    const bounds = { ...UNBOUNDED, payers, signWithinMs };
    const outcome = await store.launches.retry(request, bounds);
    if (outcome.kind === "unknown") throw noLaunch(eventId);
    if (outcome.kind === "not_ended") {
      throw new AdminError(
        409,
        `The launch is ${outcome.status}: only failed and rate_limited ones can be retried`,
      );
    }
    if (outcome.kind !== "stored") {
      throw new AdminError(409, `The launch of ${ticker} is refused: ${outcome.kind}`);
    }
    await this.operator.record(changeOf(command, "retry", eventId));
    onLaunchAccepted();
    return { eventId };
  }

  async cancel(
    which: Omit<LaunchFilter, "status" | "queuedBy">,
    command: Command,
  ): Promise<{ cancelled: number }> {
    const { reason } = command;
    const error = `Cancelled by the service's operator${reason === null ? "" : `: ${reason}`}`;
    const cancelled = await this.options.store.launches.endWaiting(which, error);
    const { until: _, ...named } = which;
    const subject = Object.entries(named).flatMap(([name, value]) =>
      value !== undefined
        ? [`${name} ${name === "since" ? new Date(value).toISOString() : value}`]
        : [],
    );
    const change = changeOf(command, "cancel", subject.join(", "));
    const detail = `${cancelled} launches`;
    if (cancelled > 0) await this.operator.record({ ...change, detail });
    return { cancelled };
  }

  async consoleLink(mayControl: boolean, command: Command): Promise<{ link: string }> {
    const { store, consoleUrl } = this.options;
    if (consoleUrl === null) throw new AdminError(409, "CONSOLE is off: there is no page to open");
    const secret = randomBytes(32).toString("base64url");
    const link = {
      secretHash: linkHash(secret),
      mayControl: Number(mayControl),
      expiresAt: store.clock.now() + LINK_MS,
    };
    const viewer = mayControl ? "controller" : "viewer";
    await this.operator.createLink(link, changeOf(command, "console-link", viewer));
    return { link: `${consoleUrl}/#/operator/${secret}` };
  }

  async #steer(patch: SteeringPatch, change: Change): Promise<SettingsChange> {
    const { version } = await this.operator.steer(patch, change);
    // This server applies it before it answers; the others learn of it at their next look.
    await this.options.steering.read();
    return { steeringVersion: version };
  }
}

function changeOf({ actor, reason }: Command, action: string, subject: string | null): Change {
  return { actor, action, subject, detail: null, reason };
}

function requireAddress(wallet: string): void {
  if (decodeAddress(wallet)) return;
  throw new AdminError(400, `${wallet} is not a base58 wallet address`);
}

function noLaunch(eventId: string): AdminError {
  return new AdminError(404, `There is no launch ${eventId}`);
}

/** Returns a code such as `K7QF-2MNP-9XTA-44HW-ZZ23`. */
function newCode(): string {
  const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => CODE_LETTERS[byte % 32]).join("");
  return letters.replace(/.{4}(?=.)/g, "$&-");
}
