import { RedeemedInviteSchema, RedeemRequestSchema } from "@tokenctl/shared/contract/launch";
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import { operation } from "../../http/openapi.ts";
import { parser } from "../../http/validation.ts";
import type { InviteService } from "./service.ts";

const parseRedeem = parser(RedeemRequestSchema);

export function inviteRoutes(invites: InviteService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1/invites" }).use(bearer).post(
    "/redeem",
    async ({ request, wallet }) => {
      const { code } = parseRedeem(await readJson(request));
      return invites.redeem(wallet, code);
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
