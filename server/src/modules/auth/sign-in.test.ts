import { beforeEach, describe, expect, test } from "bun:test";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { BearerTokens } from "../../http/bearer-tokens.ts";
import { NoncesInMemory } from "../../store/used-nonces.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { Nonces } from "./nonces.ts";
import { AuthService } from "./sign-in.ts";

const agent = nacl.sign.keyPair();
const WALLET = bs58.encode(agent.publicKey);
const OTHER = nacl.sign.keyPair();

let clock: ManualClock;
let bearerTokens: BearerTokens;
let auth: AuthService;
beforeEach(() => {
  clock = new ManualClock();
  bearerTokens = new BearerTokens(clock, [new Uint8Array(32).fill(1)]);
  const used = new NoncesInMemory();
  const nonces = new Nonces({ clock, host: () => "localhost:8787", used, sharedSecret: null });
  auth = new AuthService(nonces, bearerTokens);
});

function sign(text: string, { secretKey } = agent): string {
  return bs58.encode(nacl.sign.detached(new TextEncoder().encode(text), secretKey));
}

const nonceError = { wireCode: "invalid_nonce", message: "Invalid or expired nonce" };
const signatureError = { wireCode: "invalid_signature", message: "Invalid signature" };

test("a signed nonce gets a token for its wallet", async () => {
  const { nonce } = auth.challenge(WALLET);
  const { token } = await auth.verify(WALLET, nonce, sign(signInMessage(nonce)));
  expect(await bearerTokens.verify(token)).toBe(WALLET);
});

test("50 verifies of one nonce at once give one token", async () => {
  const { nonce } = auth.challenge(WALLET);
  const signature = sign(signInMessage(nonce));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => auth.verify(WALLET, nonce, signature)),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject(nonceError);
  }
});

describe("nonces", () => {
  test("a failed verify uses up its nonce", async () => {
    const { nonce } = auth.challenge(WALLET);
    await expect(auth.verify(WALLET, nonce, sign("other"))).rejects.toMatchObject(signatureError);
    await expect(auth.verify(WALLET, nonce, sign(signInMessage(nonce)))).rejects.toMatchObject(
      nonceError,
    );
  });
});

describe("signatures", () => {
  test.each<[string, (nonce: string) => string]>([
    ["the nonce without the message's text", (nonce) => sign(nonce)],
    ["the message with a line break", (nonce) => sign(`${signInMessage(nonce)}\n`)],
    ["another wallet's signature", (nonce) => sign(signInMessage(nonce), OTHER)],
    ["a signature of 63 bytes", () => bs58.encode(new Uint8Array(63).fill(1))],
    ["a text that is not base58", () => "0OIl"],
    ["a signature in base64", () => Buffer.alloc(64, 1).toString("base64")],
  ])("%s is refused", async (_, forge) => {
    const { nonce } = auth.challenge(WALLET);
    await expect(auth.verify(WALLET, nonce, forge(nonce))).rejects.toMatchObject(signatureError);
  });

  test("a wallet that anyone can sign for is refused", async () => {
    const wallet = "1".repeat(32);
    const forged = bs58.encode(Uint8Array.of(1, ...new Uint8Array(63)));
    for (let attempt = 0; attempt < 50; attempt++) {
      const { nonce } = auth.challenge(wallet);
      await expect(auth.verify(wallet, nonce, forged)).rejects.toMatchObject(signatureError);
    }
  });
});

test.each(["", "x", "0".repeat(32), "1".repeat(31), "1".repeat(45), `${WALLET} `])(
  "the wallet %j is refused",
  async (wallet) => {
    const details = [{ field: "wallet", message: "must be a base58 wallet address" }];
    expect(() => auth.challenge(wallet)).toThrow(
      expect.objectContaining({ wireCode: "validation_failed", details }),
    );
    await expect(auth.verify(wallet, "nonce", "signature")).rejects.toMatchObject({ details });
  },
);
