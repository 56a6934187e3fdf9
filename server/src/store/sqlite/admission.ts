import type { Clock } from "../../base/clock.ts";
import { type HourPlace, type HourPlaces, hourPlaces } from "../../domain/intake.ts";
import {
  type AdmissionTerms,
  admissionRefusal,
  inviteHash,
  type RedeemOutcome,
  type Standing,
  UNKNOWN_WALLET,
} from "../admission.ts";
import { HOUR_MS, type IntakeLimits, type NewLaunch, type Refusal } from "../launch-intake.ts";
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
    this.#redeemable = client.query<{ one: 1 }, { hash: string; now: number }>(
      `select 1 as one from invites where ${isRedeemable}`,
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

  isRedeemable(hash: string): boolean {
    return this.#redeemable.get({ hash, now: this.#clock.now() }) !== null;
  }

  /** @returns whether the invite could be used up, and was */
  #redeem(wallet: string, hash: string): boolean {
    const now = this.#clock.now();
    const used = this.#use.get({ hash, now });
    if (used) this.#invite.run({ wallet, inviteId: used.id, now });
    return used !== null;
  }

  /** See `AdmissionStore.redeem`. */
  redeem(wallet: string, hash: string): RedeemOutcome {
    const { isBlocked, isInvited } = this.standing(wallet);
    if (isBlocked) return "blocked";
    if (isInvited) return "known";
    return this.#redeem(wallet, hash) ? "redeemed" : "invalid";
  }

  /**
   * Decides whether a wallet may launch.
   *
   * @param inviteCode of the request; null if there is none
   */
  refusal(
    wallet: string,
    inviteCode: string | null,
    { admission }: Pick<IntakeLimits, "admission">,
  ): Refusal | null {
    return admissionRefusal(this.standing(wallet), {
      admission,
      isCodeGood: this.#isCodeGood(admission, inviteCode),
    });
  }

  #isCodeGood(
    admission: AdmissionTerms["admission"],
    code: string | null,
  ): AdmissionTerms["isCodeGood"] {
    if (admission !== "invite" || code === null) return null;
    return this.isRedeemable(inviteHash(code));
  }

  /** Uses up the invite of a launch that is stored, if the agent needed it. */
  useInvite({ wallet, inviteCode = null }: NewLaunch, { admission }: IntakeLimits): void {
    if (admission !== "invite" || inviteCode === null) return;
    const { isAllowed, isInvited } = this.standing(wallet);
    if (!isAllowed && !isInvited) this.#redeem(wallet, inviteHash(inviteCode));
  }

  /** See `AdmissionStore.placesOfHour`. */
  places(wallet: string, address: string | null, now: number): HourPlaces {
    return hourPlaces(this.#places.all(now - HOUR_MS), wallet, address);
  }
}
