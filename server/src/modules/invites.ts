import { RedeemedInviteSchema, RedeemRequestSchema } from "@tokenctl/shared/contract/launch";
import { ServiceError } from "../base/service-error.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { inviteHash } from "../store/operator.ts";
import type { Store } from "../store/store.ts";

export function inviteEndpoints({ operator }: Pick<Store, "operator">) {
  return [
    endpoint({
      route: "POST /api/v1/invites/redeem",
      id: "redeemInvite",
      summary: "Redeem an invite, so that the wallet may launch",
      description:
        "Where the operator asks for invites, a wallet redeems one before its first launch, or sends the code as `inviteCode` with it. A wallet that has redeemed one uses up no other.",
      tag: "Launches",
      body: json(RedeemRequestSchema),
      answer: RedeemedInviteSchema,
      errors: ["wallet_blocked", "invite_invalid"],
      async handle({ wallet, body }) {
        const outcome = await operator.redeem(wallet, inviteHash(body.code));
        if (outcome === "blocked") throw new ServiceError("wallet_blocked");
        if (outcome === "invalid") throw new ServiceError("invite_invalid");
        return { success: true, wasInvited: outcome === "known" };
      },
    }),
  ];
}
