import {
  ChallengeRequestSchema,
  ChallengeSchema,
  SessionSchema,
  VerifyRequestSchema,
} from "@tokenctl/shared/contract/auth";
import { signInMessage } from "@tokenctl/shared/sign-in";
import type { Challenge, Session } from "@tokenctl/shared/types";
import { decodeAddress, decodeSignature } from "../../base/base58.ts";
import { verifyEd25519 } from "../../base/ed25519.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { AddressLimit, RateLimit } from "../../http/admit.ts";
import type { BearerTokens } from "../../http/bearer-tokens.ts";
import { validationError } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import type { Nonces } from "./nonces.ts";

export class AuthService {
  constructor(
    private readonly nonces: Nonces,
    private readonly bearerTokens: BearerTokens,
  ) {}

  challenge(wallet: string): Challenge {
    return { nonce: this.nonces.issue(requireAddress(wallet)) };
  }

  async verify(wallet: string, nonce: string, signature: string): Promise<Session> {
    const publicKey = requireAddress(wallet);
    if (!(await this.nonces.take(nonce, publicKey))) {
      throw new ServiceError("invalid_nonce", { advice: "Request a new challenge and sign it." });
    }
    const message = new TextEncoder().encode(signInMessage(nonce));
    const bytes = decodeSignature(signature);
    if (bytes === null || !verifyEd25519(message, bytes, publicKey)) {
      throw new ServiceError("invalid_signature");
    }
    return { token: await this.bearerTokens.issue(wallet) };
  }
}

function requireAddress(wallet: string): Uint8Array {
  const publicKey = decodeAddress(wallet);
  if (publicKey) return publicKey;
  throw validationError([{ field: "wallet", message: "must be a base58 wallet address" }]);
}

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
