import { RedeemedInviteSchema, RedeemRequestSchema } from "@tokenctl/shared/contract/launch";
import type { RedeemedInvite } from "@tokenctl/shared/types";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import { operation } from "../../http/openapi.ts";
import { parser } from "../../http/validation.ts";
import { inviteHash } from "../../store/admission.ts";
import type { Store } from "../../store/store.ts";

const parseRedeem = parser(RedeemRequestSchema);

/** Lets agents redeem the invites that the operator gave them. */
export function inviteRoutes(
  { operator }: Pick<Store, "operator">,
  bearer: ReturnType<typeof bearerPlugin>,
) {
  return new Elysia({ prefix: "/api/v1/invites" }).use(bearer).post(
    "/redeem",
    async ({ request, wallet }) => {
      const { code } = parseRedeem(await readJson(request));
      const outcome = await operator.redeem(wallet, inviteHash(code));
      if (outcome === "blocked") throw new ServiceError("wallet_blocked");
      if (outcome === "invalid") throw new ServiceError("invite_invalid");
      return { success: true, wasInvited: outcome === "known" } satisfies RedeemedInvite;
    },
    operation({
      id: "redeemInvite",
      summary: "Redeem an invite, so that the wallet may launch",
      description:
        "Where the operator asks for invites, a wallet redeems one before its first launch, or sends the code as `inviteCode` with it. A wallet that has redeemed one uses up no other.",
      tag: "Launches",
      body: RedeemRequestSchema,
      answer: RedeemedInviteSchema,
      errors: ["wallet_blocked", "invite_invalid"],
    }),
  );
}
