import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { Keypair, Transaction } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { build, localClaim, agent as owner } from "../test/claim-transactions.ts";
import { InvalidArgumentError } from "./errors.ts";
import { verifyEd25519 } from "./internal/ed25519.ts";
import {
  formatSecretKey,
  generateSecretKey,
  keypairSigner,
  parseSecretKey,
  type SecretKey,
} from "./signer.ts";

const { secretKey } = owner;
const message = new TextEncoder().encode("Sign this message to authenticate: 1");

describe("keypairSigner", () => {
  test("has its wallet's address, and signs with Ed25519, even if the given bytes change later", async () => {
    const bytes = Uint8Array.from(secretKey);
    const signer = keypairSigner(bytes);
    bytes.fill(0);
    expect(signer.publicKey).toBe(owner.publicKey.toBase58());
    const signature = await signer.signMessage(message);
    expect(nacl.sign.detached.verify(message, signature, owner.publicKey.toBytes())).toBe(true);
  });

  test("signs a transaction as web3.js does, and does not change the given bytes", async () => {
    const unsigned = build(localClaim());
    const expected = Transaction.from(unsigned);
    expected.sign(owner);
    const given = Uint8Array.from(unsigned);
    const signed = await keypairSigner(owner).signTransaction(given);
    expect(Buffer.from(signed).equals(expected.serialize())).toBe(true);
    expect(given).toEqual(Uint8Array.from(unsigned));
  });

  test("refuses to sign what is not a transaction that it is to sign", () => {
    const of = (count: number) => new Uint8Array([count, ...new Uint8Array(200)]);
    for (const bytes of [new Uint8Array(), of(0), of(2), of(3)]) {
      expect(() => keypairSigner(owner).signTransaction(bytes)).toThrow(InvalidArgumentError);
    }
  });

  test("shows its secret nowhere", () => {
    const signer = keypairSigner(owner);
    const shown = [
      JSON.stringify(signer),
      inspect(signer, { depth: 9, showHidden: true }),
      Bun.inspect(signer, { depth: 9 }),
      JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(signer))),
    ].join();
    expect(shown.replaceAll(" ", "")).not.toContain([...secretKey.subarray(0, 4)].join());
    expect(shown).not.toContain(bs58.encode(secretKey).slice(0, 16));
  });
});

test("a key of small order verifies nothing", () => {
  // Key and R are the neutral point, and S = 0: lenient verifiers accept this for every message.
  const neutral = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));
  const forged = Uint8Array.from({ length: 64 }, (_, i) => neutral[i] ?? 0);
  expect(verifyEd25519(message, forged, neutral)).toBeFalse();
});

describe("parseSecretKey reads", () => {
  const forms: Record<string, SecretKey> = {
    "what formatSecretKey writes": formatSecretKey(secretKey),
    "a keypair file with spaces and a newline": ` ${JSON.stringify([...secretKey], null, 2)}\n`,
    base58: bs58.encode(secretKey),
    "base58 with a newline": `${bs58.encode(secretKey)}\n`,
    "64 bytes": secretKey,
    "64 numbers": [...secretKey],
    "a Keypair of web3.js": owner,
  };
  test.each(Object.entries(forms))("%s", (_, form) => {
    expect([...parseSecretKey(form)]).toEqual([...secretKey]);
  });
});

test("generateSecretKey makes a new wallet each time, whose keypair file web3.js reads", () => {
  const wallet = generateSecretKey();
  const file = Uint8Array.from(JSON.parse(formatSecretKey(wallet)));
  expect(Keypair.fromSecretKey(file).publicKey.toBase58()).toBe(wallet.publicKey);
  expect(generateSecretKey().publicKey).not.toBe(wallet.publicKey);
});

test("the path of a keypair file is refused, and the hint names what to pass", () => {
  expect(() => keypairSigner("/home/agent/agent.json")).toThrow(
    expect.objectContaining({
      message: expect.not.stringContaining("agent.json"),
      hint: expect.stringMatching(/text of a keypair file.*readFile.*not its path/),
    }),
  );
});

describe("what is no secret key is refused, and not repeated:", () => {
  const numbers = [...secretKey];
  const wrong: Record<string, unknown> = {
    "empty text": "",
    "an address": owner.publicKey.toBase58(),
    "half a key": numbers.slice(0, 32),
    "65 bytes": [...numbers, 1],
    "a number above 255": [...numbers.slice(0, 63), 256],
    "a fraction": [...numbers.slice(0, 63), 1.5],
    "a text among the numbers": [...numbers.slice(0, 63), "1"],
    "halves of two keys": [...numbers.slice(0, 32), ...Keypair.generate().publicKey.toBytes()],
    "broken JSON": JSON.stringify(numbers).slice(0, -1),
    "text that is not base58": `${bs58.encode(secretKey).slice(0, -1)}0`,
    "base58 of a mebibyte": "2".repeat(1 << 20),
    "a JSON object": JSON.stringify({ secretKey: numbers }),
    nothing: null,
    "an object without a key": {},
  };
  test.each(Object.entries(wrong))("%s", (_, key) => {
    try {
      parseSecretKey(key as string);
      throw new Error("it was read");
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidArgumentError);
      const shown = Bun.inspect(error, { depth: 5 }) + JSON.stringify(error);
      expect(shown).not.toContain(numbers.slice(0, 4).join(","));
      expect(shown).not.toContain(bs58.encode(secretKey).slice(0, 20));
    }
  });
});
