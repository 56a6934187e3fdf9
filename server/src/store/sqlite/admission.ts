import type { Clock } from "../../base/clock.ts";
import { type Standing, UNKNOWN_WALLET } from "../../domain/admission.ts";
import type { HourPlace } from "../../domain/intake.ts";
import { HOUR_MS } from "../launch-intake.ts";
import type { Database } from "./database.ts";

interface Rules {
  readonly isBlocked: 0 | 1;
  readonly isAllowed: 0 | 1;
  readonly isInvited: 0 | 1;
}

/** Whom the operator serves, and how many agents in an hour; called within a transaction. */
export class Admission {
  readonly #clock: Clock;
  readonly #rules;
  readonly #redeemable;
  readonly #use;
  readonly #invite;
  readonly #places;

  constructor({ $client: client }: Database, clock: Clock) {
    this.#clock = clock;
    this.#rules = client.query<Rules, [string]>(
      `select blocked_at is not null as isBlocked, allowed_at is not null as isAllowed,
         invited_at is not null as isInvited
       from agent_rules where wallet = ?`,
    );
    const isRedeemable = `code_hash = $hash and uses < max_uses and revoked_at is null
      and (expires_at is null or expires_at > $now)`;
    this.#redeemable = client.query<{ left: number }, { hash: string; now: number }>(
      `select max_uses - uses as "left" from invites where ${isRedeemable}`,
    );
    this.#use = client.query<{ id: number }, { hash: string; now: number }>(
      `update invites set uses = uses + 1 where ${isRedeemable} returning id`,
    );
    this.#invite = client.query<null, { wallet: string; inviteId: number; now: number }>(
      `insert into agent_rules (wallet, invited_at, invite_id) values ($wallet, $now, $inviteId)
       on conflict (wallet) do update
       set invited_at = excluded.invited_at, invite_id = excluded.invite_id`,
    );
    this.#places = client.query<HourPlace, [number]>(
      `select wallet, address, network from launches where status = 'pending'
       union all select wallet, address, network from launch_starts where started_at > ?`,
    );
  }

  standing(wallet: string): Standing {
    const rules = this.#rules.get(wallet);
    if (!rules) return UNKNOWN_WALLET;
    return {
      isBlocked: rules.isBlocked === 1,
      isAllowed: rules.isAllowed === 1,
      isInvited: rules.isInvited === 1,
    };
  }

  /** How often an invite can be redeemed now. */
  usesLeft(hash: string): number {
    return this.#redeemable.get({ hash, now: this.#clock.now() })?.left ?? 0;
  }

  /** Redeems an invite that has a use left. */
  use(wallet: string, hash: string): void {
    const now = this.#clock.now();
    const used = this.#use.get({ hash, now });
    if (used) this.#invite.run({ wallet, inviteId: used.id, now });
  }

  /** Who has a place in the hour that ends now. */
  places(): HourPlace[] {
    return this.#places.all(this.#clock.now() - HOUR_MS);
  }
}
