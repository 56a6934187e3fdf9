import { createHmac } from "node:crypto";

/** Standard Webhooks 1.0.0 (https://www.standardwebhooks.com), version `v1`: HMAC-SHA256. */

export const secretOf = (key: Uint8Array) => `whsec_${Buffer.from(key).toString("base64")}`;

/** @param timestamp in seconds since the Unix epoch */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  key: Uint8Array,
): Record<string, string> {
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature.digest("base64")}`,
  };
}
