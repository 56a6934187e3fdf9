import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { signedHeaders, verificationKeys } from "./signature.ts";
import { hasPublicKey } from "./testing/receiver.ts";

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const message = { id: "message", timestamp: Math.floor(Date.now() / 1000), body: '{"a":"ü"}' };

test("a receiver verifies a message by either key of either generation, and no changed one", () => {
  const headers = signedHeaders(message, [NEW, OLD]);
  for (const key of [NEW, OLD]) {
    const { secret, publicKey } = verificationKeys(key);
    expect(new Webhook(secret).verify(message.body, headers)).toEqual({ a: "ü" });
    expect(() => new Webhook(secret).verify('{"a":"u"}', headers)).toThrow("No matching");
    expect(hasPublicKey({ headers, body: message.body }, publicKey)).toBe(true);
    expect(hasPublicKey({ headers, body: '{"a":"u"}' }, publicKey)).toBe(false);
  }
});

test("a key that is no longer used does not sign", () => {
  const headers = signedHeaders(message, [NEW]);
  const { secret, publicKey } = verificationKeys(OLD);
  expect(() => new Webhook(secret).verify(message.body, headers)).toThrow("No matching");
  expect(hasPublicKey({ headers, body: message.body }, publicKey)).toBe(false);
});

test("who knows a webhook's secret cannot sign with its Ed25519 key", () => {
  const { secret, publicKey } = verificationKeys(OLD);
  const known = Buffer.from(secret.replace("whsec_", ""), "base64");
  expect(known).toHaveLength(32);
  expect(verificationKeys(known).publicKey).not.toBe(publicKey);
  expect(
    hasPublicKey({ headers: signedHeaders(message, [known]), body: message.body }, publicKey),
  ).toBe(false);
});
