import {
  ChallengeRequestSchema,
  ChallengeSchema,
  SessionSchema,
  VerifyRequestSchema,
} from "@tokenctl/shared/contract/auth";
import { endpoint, json } from "../../http/endpoint.ts";
import type { AddressLimit, RateLimit } from "../../http/rate-limit.ts";
import type { AuthService } from "./service.ts";

export function authEndpoints(auth: AuthService, limit: AddressLimit, walletLimit: RateLimit) {
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
      limit,
      body: json(ChallengeRequestSchema),
      answer: ChallengeSchema,
      errors: ["too_many_requests"],
      handle({ body: { wallet }, set }) {
        walletLimit.spend(wallet, set.headers);
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
      limit,
      body: json(VerifyRequestSchema),
      answer: SessionSchema,
      errors: ["invalid_nonce", "invalid_signature", "too_many_requests"],
      handle({ body: { wallet, nonce, signature }, set }) {
        walletLimit.spend(wallet, set.headers);
        return auth.verify(wallet, nonce, signature);
      },
    }),
  ];
}
