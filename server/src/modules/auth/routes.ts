import {
  ChallengeRequestSchema,
  ChallengeSchema,
  SessionSchema,
  VerifyRequestSchema,
} from "@tokenctl/shared/contract/auth";
import { Elysia } from "elysia";
import { readJson } from "../../http/body.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { operation } from "../../http/openapi.ts";
import { NOT_PAUSED, refusePaused } from "../../http/pauses.ts";
import type { SignInLimits } from "../../http/sign-in-limits.ts";
import { parser } from "../../http/validation.ts";
import type { AuthService } from "./service.ts";

const parseChallenge = parser(ChallengeRequestSchema);
const parseVerify = parser(VerifyRequestSchema);

export function authRoutes(
  auth: AuthService,
  limits: SignInLimits,
  server: CurrentServer,
  pauseReason = NOT_PAUSED,
) {
  return new Elysia({ prefix: "/api/auth" })
    .onBeforeHandle(({ request, set }) => {
      limits.spendOfAddress(request, server(), set.headers);
      refusePaused("sign-ins", pauseReason);
    })
    .post(
      "/challenge",
      async ({ request, set }) => {
        const { wallet } = parseChallenge(await readJson(request));
        limits.spendOfWallet(wallet, set.headers);
        return auth.challenge(wallet);
      },
      operation({
        id: "getChallenge",
        summary: "Get a nonce to sign",
        description:
          "Returns the nonce that the wallet signs. It is valid for five minutes, once, for this wallet alone.",
        tag: "Sign-in",
        isPublic: true,
        body: ChallengeRequestSchema,
        answer: ChallengeSchema,
        errors: ["too_many_requests", "paused"],
      }),
    )
    .post(
      "/verify",
      async ({ request, set }) => {
        const { wallet, nonce, signature } = parseVerify(await readJson(request));
        limits.spendOfWallet(wallet, set.headers);
        return auth.verify(wallet, nonce, signature);
      },
      operation({
        id: "signIn",
        summary: "Trade a signed nonce for a bearer token",
        description:
          "Verifies the signature of the sign-in message, and returns a bearer token that is valid for 15 minutes. The nonce is used up, whatever the answer is.",
        tag: "Sign-in",
        isPublic: true,
        body: VerifyRequestSchema,
        answer: SessionSchema,
        errors: ["invalid_nonce", "invalid_signature", "too_many_requests", "paused"],
      }),
    );
}
