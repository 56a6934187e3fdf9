import { signInMessage } from "@tokenctl/shared/sign-in";
import { SIGNATURE_BYTES } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { SignerError } from "../errors.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import { call, withRetries } from "./http.ts";
import { checkNonce } from "./nonce.ts";
import type { Settings } from "./settings.ts";

/**
 * Signs in for a bearer token. A retry repeats all: a verify whose answer was lost has used up its
 * nonce.
 */
export function signIn(settings: Settings, signer: Signer, signal: AbortSignal): Promise<string> {
  const { apiUrl, allowNonceWithoutHost, retry, timeoutMs } = settings;
  const wallet = signer.publicKey;
  const post = <T>(path: string, body: object, answer: Answer<T>) => {
    const request = { method: "POST", path, body, answer, repeat: "never", timeoutMs } as const;
    return call(settings, retry, { ...request, signal });
  };
  const attempt = async () => {
    const { nonce } = await post("/api/auth/challenge", { wallet }, answers.Challenge);
    checkNonce(nonce, apiUrl, allowNonceWithoutHost);
    const signature = await signMessage(signer, signInMessage(nonce));
    const proof = { wallet, nonce, signature };
    return (await post("/api/auth/verify", proof, answers.Session)).token;
  };
  return withRetries(attempt, "repeatable", retry, signal);
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
