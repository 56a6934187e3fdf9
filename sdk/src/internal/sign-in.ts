import { signInMessage } from "@tokenctl/shared/sign-in";
import type { Session } from "@tokenctl/shared/types";
import bs58 from "bs58";
import { SignerError } from "../errors.ts";
import type { Signer } from "../signer.ts";
import { answers } from "./answers.ts";
import { call } from "./caller.ts";
import { checkNonce } from "./nonce.ts";
import type { RetryPolicy } from "./retry.ts";
import { withRetries } from "./retry.ts";
import type { HttpRequest, Transport } from "./transport.ts";
import { SIGNATURE_BYTES } from "./wire-transaction.ts";

/**
 * Signs in: challenge, signature, verify. The three are repeated together: if the answer to a
 * verify is lost, its nonce is used up, and only a new one helps.
 *
 * @param server the server to sign in at, and whether its nonces may name no host
 * @throws {AuthenticationError} if the server refuses the signature
 * @throws {NonceError} if the signature of the nonce could sign in elsewhere
 * @throws {SignerError} if the signer fails
 */
export function signIn(
  transport: Transport,
  policy: RetryPolicy,
  signer: Signer,
  server: { readonly apiUrl: string; readonly allowNonceWithoutHost: boolean },
  limits: Pick<HttpRequest, "timeoutMs" | "signal">,
): Promise<Session> {
  const once = { maxRetries: 0 };
  const wallet = signer.publicKey;
  const attempt = async () => {
    const { nonce } = await call(transport, once, {
      method: "POST",
      path: "/api/auth/challenge",
      body: { wallet },
      answer: answers.Challenge,
      repeat: "never",
      ...limits,
    });
    checkNonce(nonce, server.apiUrl, server.allowNonceWithoutHost);
    const signature = await signMessage(signer, signInMessage(nonce));
    return call(transport, once, {
      method: "POST",
      path: "/api/auth/verify",
      body: { wallet, nonce, signature },
      answer: answers.Session,
      repeat: "never",
      ...limits,
    });
  };
  return withRetries(attempt, "repeatable", policy, limits.signal);
}

async function signMessage(signer: Signer, message: string): Promise<string> {
  let signature: Uint8Array;
  try {
    signature = await signer.signMessage(new TextEncoder().encode(message));
  } catch (cause) {
    throw new SignerError("The signer did not sign the sign-in message", { cause });
  }
  if (signature.length !== SIGNATURE_BYTES) {
    throw new SignerError(
      `The signer returned ${signature.length} bytes instead of a ${SIGNATURE_BYTES}-byte signature`,
    );
  }
  return bs58.encode(signature);
}
