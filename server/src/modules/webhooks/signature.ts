import { createHmac, createPublicKey, hkdfSync, sign } from "node:crypto";
import { privateKey } from "../../base/native-keys.ts";

/**
 * Standard Webhooks 1.0.0 (https://www.standardwebhooks.com). Both secrets of a webhook are derived
 * from one stored key, and neither can be computed from the other.
 */

export function verificationKeys(key: Uint8Array) {
  const { x } = createPublicKey(signingKey(key)).export({ format: "jwk" });
  if (x === undefined) throw new Error("an Ed25519 key has an x");
  return {
    /** For `v1` (HMAC-SHA256). Only the agent and the server know it. */
    secret: `whsec_${hmacSecret(key).toString("base64")}`,
    /** For `v1a` (Ed25519). */
    publicKey: `whpk_${Buffer.from(x, "base64url").toString("base64")}`,
  };
}

/** Signs by `v1` and `v1a` with each key. The timestamp is in seconds since the Unix epoch. */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  keys: readonly Uint8Array[],
): Record<string, string> {
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = keys.flatMap((key) => [
    `v1,${createHmac("sha256", hmacSecret(key)).update(content).digest("base64")}`,
    `v1a,${sign(null, content, signingKey(key)).toString("base64")}`,
  ]);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

const hmacSecret = (key: Uint8Array) => derive(key, "v1");
const signingKey = (key: Uint8Array) => privateKey(derive(key, "v1a"));

function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", `tokend webhook ${purpose}`, 32));
}
