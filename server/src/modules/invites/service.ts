import type { RedeemedInvite } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { type AdmissionStore, inviteHash } from "../../store/admission.ts";

/** Lets agents redeem the invites that the operator gave them. */
export class InviteService {
  readonly #store: Pick<AdmissionStore, "redeem">;

  constructor(store: Pick<AdmissionStore, "redeem">) {
    this.#store = store;
  }

  /**
   * Redeems an invite. A wallet that has redeemed one uses up no other.
   *
   * @throws {ServiceError} 403 if the wallet is blocked, or the code cannot be redeemed
   */
  async redeem(wallet: string, code: string): Promise<RedeemedInvite> {
    const outcome = await this.#store.redeem(wallet, inviteHash(code));
    if (outcome === "blocked") throw new ServiceError("wallet_blocked");
    if (outcome === "invalid") throw new ServiceError("invite_invalid");
    return { success: true, wasInvited: outcome === "known" };
  }
}
