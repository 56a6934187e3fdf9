import { expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { signedHeaders, verificationKeys } from "./signature.ts";

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const message = { id: "message", timestamp: Math.floor(Date.now() / 1000), body: '{"a":"ü"}' };

/** Verifies `v1a`, which the package does not know. */
function hasEd25519(headers: Record<string, string>, publicKey: string, body: string): boolean {
  const x = Buffer.from(publicKey.replace("whpk_", ""), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const [version, bytes = ""] = signature.split(",");
    return (
      version === "v1a" && verify(null, Buffer.from(content), key, Buffer.from(bytes, "base64"))
    );
  });
}

test("a receiver verifies a message by either key of either generation, and no changed one", () => {
  const headers = signedHeaders(message, [NEW, OLD]);
  for (const key of [NEW, OLD]) {
    const { secret, publicKey } = verificationKeys(key);
    expect(new Webhook(secret).verify(message.body, headers)).toEqual({ a: "ü" });
    expect(() => new Webhook(secret).verify('{"a":"u"}', headers)).toThrow("No matching");
    expect(hasEd25519(headers, publicKey, message.body)).toBe(true);
    expect(hasEd25519(headers, publicKey, '{"a":"u"}')).toBe(false);
  }
});

test("a key that is no longer used does not sign", () => {
  const headers = signedHeaders(message, [NEW]);
  const { secret, publicKey } = verificationKeys(OLD);
  expect(() => new Webhook(secret).verify(message.body, headers)).toThrow("No matching");
  expect(hasEd25519(headers, publicKey, message.body)).toBe(false);
});

test("who knows a webhook's secret cannot sign with its Ed25519 key", () => {
  const { secret, publicKey } = verificationKeys(OLD);
  const known = Buffer.from(secret.replace("whsec_", ""), "base64");
  expect(known).toHaveLength(32);
  expect(verificationKeys(known).publicKey).not.toBe(publicKey);
  expect(hasEd25519(signedHeaders(message, [known]), publicKey, message.body)).toBe(false);
});
