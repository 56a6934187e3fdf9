import { type Standing, UNKNOWN_WALLET } from "../../domain/admission.ts";
import type { RedeemOutcome } from "../admission.ts";
import type { PostgresDatabase, Statement } from "./database.ts";
import { lockAll } from "./locks.ts";

const STANDING: Statement = {
  name: "standing",
  text: `select blocked_at is not null as "isBlocked", allowed_at is not null as "isAllowed",
      invited_at is not null as "isInvited" from agent_rules where wallet = $1`,
};

/** Whom the operator serves. */
export class Admission {
  readonly #db: PostgresDatabase;
  readonly #redeem: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    const isRedeemable = `code_hash = $1 and uses < max_uses and revoked_at is null
      and (expires_at is null or expires_at > ${time})`;
    this.#redeem = {
      name: "redeem",
      text: `with used as (
          update invites set uses = uses + 1 where ${isRedeemable} returning id)
        insert into agent_rules (wallet, invited_at, invite_id) select $2, ${time}, id from used
        on conflict (wallet) do update
        set invited_at = excluded.invited_at, invite_id = excluded.invite_id
        returning 1 as one`,
    };
  }

  async standing(wallet: string): Promise<Standing> {
    const [standing] = await this.#db.read((session) => session.rows<Standing>(STANDING, wallet));
    return standing ?? UNKNOWN_WALLET;
  }

  /** See `AdmissionStore.redeem`. */
  async redeem(wallet: string, hash: string): Promise<RedeemOutcome> {
    // A wallet that redeems two invites at once uses up one of them.
    const lock = lockAll([`wallet ${wallet}`]);
    return await this.#db.transaction(async (session): Promise<RedeemOutcome> => {
      const [standing] = await session.rows<Standing>(STANDING, wallet);
      if (standing?.isBlocked) return "blocked";
      if (standing?.isInvited) return "known";
      const redeemed = await session.rows(this.#redeem, hash, wallet);
      return redeemed.length > 0 ? "redeemed" : "invalid";
    }, lock);
  }
}
