import type { Clock } from "../base/clock.ts";
import type { ChainBindings } from "./chain-binding.ts";
import type { Claims } from "./claims.ts";
import type { Collections } from "./collections.ts";
import type { Events } from "./events.ts";
import type { Images } from "./images.ts";
import type { Launches } from "./launches.ts";
import type { Operator } from "./operator.ts";
import type { PoolMigrations } from "./pool-migrations.ts";
import type { Tokens } from "./tokens.ts";
import type { UsedNonces } from "./used-nonces.ts";
import type { Watch } from "./watch.ts";
import type { Webhooks } from "./webhooks.ts";

/**
 * The database. What a call writes is durable when its promise resolves: on the disk, and with
 * PostgreSQL as `synchronous_commit` of the database says.
 *
 * @throws {ServiceError} `database_unavailable` from every call if the database does not answer
 */
export interface Store {
  readonly launches: Launches;
  readonly tokens: Tokens;
  readonly claims: Claims;
  /** What the launch wallet collected as the partner of its configs. */
  readonly collections: Collections;
  /** The migrations of complete curves that the launch wallet pays for. */
  readonly poolMigrations: PoolMigrations;
  readonly images: Images;
  /** Whom the operator serves, and how the service is steered. */
  readonly operator: Operator;
  /** What the methods of the others tell the wallets. */
  readonly events: Events;
  /** What the pools of tokens are watched for. */
  readonly watch: Watch;
  readonly webhooks: Webhooks;
  /** The chain, the launch wallet and the secrets that the launches belong to. */
  readonly chainBinding: ChainBindings;
  /** The nonces that were used; shared by all servers of the database. */
  readonly usedNonces: UsedNonces;
  /** The time that all servers of the database agree on. */
  readonly clock: Clock;
  /** Whether other servers may work on the same database at the same time. */
  readonly isShared: boolean;
  /** @throws {Error} if the database does not answer */
  ping(): Promise<void>;
  /** Why the database takes no writes now, fit for anyone to read; null if it does. Never throws. */
  findProblem(): Promise<DatabaseProblem | null>;
  close(): Promise<void>;
}

export interface DatabaseProblem {
  /** Public: no path, no host. */
  readonly text: string;
  /** For the log. */
  readonly cause: unknown;
}
