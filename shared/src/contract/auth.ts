import { Type } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import { requestText } from "./request-text.ts";
import * as t from "./values.ts";

const wallet = t.address("Wallet address, base58", "must be a base58 wallet address");

// Both requests may have additional fields.
export const ChallengeRequestSchema = Type.Object({ wallet });

export const VerifyRequestSchema = Type.Object({
  wallet,
  nonce: requestText({
    minLength: 1,
    maxLength: limits.nonce.max,
    description: "The nonce of the challenge",
    examples: ["127.0.0.1:8787/3q2-7wAAAAAAAAAAAAAAAA"],
    "x-rule": "must be the nonce of a challenge",
  }),
  signature: requestText({
    minLength: 1,
    maxLength: limits.signature.max,
    description: "Ed25519 signature of the sign-in message, base58",
    examples: [
      "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    ],
    "x-rule": "must be a base58 Ed25519 signature",
  }),
});

export const ChallengeSchema = t.object(
  "A nonce to sign in with, valid for five minutes and one use",
  {
    nonce: t.text("The nonce; it starts with the server's host and a `/`", {
      // Printable ASCII without spaces, because a wallet shows the text that it signs.
      pattern: "^[!-~]+$",
      minLength: limits.nonce.min,
      maxLength: limits.nonce.max,
      examples: ["127.0.0.1:8787/3q2-7wAAAAAAAAAAAAAAAA"],
    }),
  },
);

export const SessionSchema = t.object("A bearer token, valid for 15 minutes", {
  token: t.text("The bearer token, a JWT"),
});
