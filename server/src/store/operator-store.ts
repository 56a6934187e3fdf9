import type { LaunchStatusName } from "@tokenctl/shared/types";
import type { Standing } from "../domain/admission.ts";
import type { Steering, SteeringPatch } from "../domain/steering.ts";
import type { AdmissionStore, Invite, NewInvite } from "./admission.ts";

/** A change as the audit table keeps it. */
export interface Change {
  /** Who gave the command, as the command says, for example `uid 1000 (ops)`. */
  readonly actor: string;
  /** For example `block`. */
  readonly action: string;
  /** The wallet, launch, invite or setting that is changed; null if there is no one. */
  readonly subject: string | null;
  /** What it is changed to; null if the action says it. */
  readonly detail: string | null;
  /** Null if the operator gave none. */
  readonly reason: string | null;
}

export interface AuditEntry extends Change {
  readonly id: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A server of the database, as it reports itself. */
export interface ServerReport {
  /** Another one after each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: number;
  /** The version of {@link Steering} by which it works. */
  readonly steeringVersion: number;
}

/** A launch as the operator sees it. */
export interface LaunchReport {
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly name: string;
  readonly status: LaunchStatusName;
  readonly createdAt: number;
  readonly processedAt: number | null;
  /** The network address that it came from; null if it has ended, or counts for none. */
  readonly address: string | null;
  /** How often it was leased. */
  readonly attempts: number;
  /** Why it ended without a token. */
  readonly error: string | null;
  /** What it waits for, or waited for last, and since when; null if it was never leased. */
  readonly waitingFor: string | null;
  readonly waitingSince: number | null;
  /** Of the latest transaction. */
  readonly signature: string | null;
  readonly tokenMint: string | null;
  readonly poolAddress: string | null;
}

/** The signature of a transaction that was signed for a launch. */
export interface LaunchSignature {
  readonly signature: string;
  readonly signedAt: number;
}

export interface LaunchFilter {
  readonly status: LaunchStatusName | null;
  readonly wallet: string | null;
  /** Where its request came from; a launch that has ended has neither. */
  readonly address: string | null;
  readonly network: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly since: number | null;
  /** Whether only those count that no transaction was signed for. */
  readonly isUnsigned: boolean;
  readonly limit: number;
}

/** An agent as the operator sees it; counts are of the launches that were looked at. */
export interface AgentReport extends Standing {
  readonly wallet: string;
  readonly launches: number;
  readonly pending: number;
  readonly tokens: number;
  /** Null if none of its launches was looked at. */
  readonly lastLaunchAt: number | null;
}

/** How many of the latest launches reports about many of them look at, so that requests need not wait. */
export const LAUNCHES_LOOKED_AT = 10_000;

/**
 * What the operator reads and changes while the service runs. Each change and its entry in the audit
 * table are one transaction; a change that changes nothing leaves no entry.
 */
export interface OperatorStore extends AdmissionStore {
  /** Puts a wallet on the allowlist or takes it off. @returns whether that changed anything */
  allow(wallet: string, isAllowed: boolean, change: Change): Promise<boolean>;

  /** Puts a wallet on the block list or takes it off. @returns whether that changed anything */
  block(wallet: string, isBlocked: boolean, change: Change): Promise<boolean>;

  createInvites(invites: readonly NewInvite[], change: Change): Promise<Invite[]>;

  /** @returns false if there is no such invite, or it was revoked before */
  revokeInvite(id: number, change: Change): Promise<boolean>;

  /** All invites, newest first. */
  invites(): Promise<Invite[]>;

  steering(): Promise<Steering>;

  steer(patch: SteeringPatch, change: Change): Promise<Steering>;

  /** Called whenever the store learns of a version, also of those of other servers. */
  onSteering(listener: (version: number) => void): void;

  /** Writes an entry for a change that was made elsewhere. */
  record(change: Change): Promise<void>;

  /** The newest entries, newest first. */
  audit(limit: number): Promise<AuditEntry[]>;

  /** Says that a server is there. */
  report(server: ServerReport): Promise<void>;

  /** Forgets a server that stops, and those that were not seen for a day. */
  forget(serverId: string): Promise<void>;

  /** Servers that were seen since this time. */
  servers(since: number): Promise<(ServerReport & { readonly seenAt: number })[]>;

  /** Newest first. */
  launches(filter: LaunchFilter): Promise<LaunchReport[]>;

  launch(
    eventId: string,
  ): Promise<(LaunchReport & { readonly transactions: readonly LaunchSignature[] }) | null>;

  /**
   * @param signatures transactions that landed lately, base58
   * @returns those of them that were signed for launches of this database, among the latest
   * {@link LAUNCHES_LOOKED_AT} that were
   */
  signedForLaunches(signatures: readonly string[]): Promise<readonly string[]>;

  /** The agents of the latest launches, and those that the operator has decided about; latest first. */
  agents(limit: number): Promise<AgentReport[]>;

  /** How many of the latest launches were accepted since this time, by their status now. */
  acceptedSince(since: number): Promise<Readonly<Record<LaunchStatusName, number>>>;
}
