import {
  ChallengeRequestSchema,
  ChallengeSchema,
  SessionSchema,
  VerifyRequestSchema,
} from "@tokenctl/shared/contract/auth";
import { endpoint, json } from "../../http/endpoint.ts";
import type { AnswerHeaders } from "../../http/list-header.ts";
import type { SignInLimits } from "../../http/sign-in-limits.ts";
import type { AuthService } from "./service.ts";

export function authEndpoints(
  auth: AuthService,
  limits: SignInLimits,
  spendOfAddress: (request: Request, headers: AnswerHeaders) => void,
) {
  return [
    endpoint({
      route: "POST /api/auth/challenge",
      auth: "none",
      id: "getChallenge",
      summary: "Get a nonce to sign",
      description:
        "Returns the nonce that the wallet signs. It is valid for five minutes, once, for this wallet alone.",
      tag: "Sign-in",
      pausable: "sign-ins",
      limit: spendOfAddress,
      body: json(ChallengeRequestSchema),
      answer: ChallengeSchema,
      errors: ["too_many_requests"],
      handle({ body: { wallet }, set }) {
        limits.spendOfWallet(wallet, set.headers);
        return auth.challenge(wallet);
      },
    }),
    endpoint({
      route: "POST /api/auth/verify",
      auth: "none",
      id: "signIn",
      summary: "Trade a signed nonce for a bearer token",
      description:
        "Verifies the signature of the sign-in message, and returns a bearer token that is valid for 15 minutes. The nonce is used up, whatever the answer is.",
      tag: "Sign-in",
      pausable: "sign-ins",
      limit: spendOfAddress,
      body: json(VerifyRequestSchema),
      answer: SessionSchema,
      errors: ["invalid_nonce", "invalid_signature", "too_many_requests"],
      handle({ body: { wallet, nonce, signature }, set }) {
        limits.spendOfWallet(wallet, set.headers);
        return auth.verify(wallet, nonce, signature);
      },
    }),
  ];
}
