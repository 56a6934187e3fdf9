import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { InvalidArgumentError } from "./errors.ts";
import { formatSecretKey, generateSecretKey, keypairSigner, parseSecretKey } from "./signer.ts";

const keypair = Keypair.fromSeed(new Uint8Array(32).fill(7));
const { secretKey } = keypair;

describe("parseSecretKey", () => {
  const forms: Record<string, Parameters<typeof parseSecretKey>[0]> = {
    "a keypair file": JSON.stringify([...secretKey]),
    "a keypair file with spaces and a newline": ` ${JSON.stringify([...secretKey], null, 2)}\n`,
    base58: bs58.encode(secretKey),
    "base58 with a newline": `${bs58.encode(secretKey)}\n`,
    "64 bytes": secretKey,
    "64 numbers": [...secretKey],
    "a Keypair of web3.js": keypair,
  };
  for (const [name, form] of Object.entries(forms)) {
    test(`reads ${name}`, () => {
      expect([...parseSecretKey(form)]).toEqual([...secretKey]);
    });
  }

  test("reads what formatSecretKey writes, as web3.js does", () => {
    const text = formatSecretKey(secretKey);
    expect(Keypair.fromSecretKey(Uint8Array.from(JSON.parse(text))).secretKey).toEqual(secretKey);
    expect([...parseSecretKey(text)]).toEqual([...secretKey]);
  });

  test("names what it takes if it is given the path of a file", () => {
    expect(() => keypairSigner("/home/agent/agent.json")).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining("agent.json"),
        hint: expect.stringMatching(/text of a keypair file.*readFile.*not its path/),
      }),
    );
  });

  test("returns a copy", () => {
    const bytes = Uint8Array.from(secretKey);
    parseSecretKey(bytes).fill(0);
    expect([...bytes]).toEqual([...secretKey]);
  });
});

test("formatSecretKey keeps the wallet that generateSecretKey returns", () => {
  const wallet = generateSecretKey();
  expect(keypairSigner(formatSecretKey(wallet)).publicKey).toBe(wallet.publicKey);
});

describe("parseSecretKey and formatSecretKey refuse, and do not repeat,", () => {
  const numbers = [...secretKey];
  const wrong: Record<string, unknown> = {
    "empty text": "",
    "an address": keypair.publicKey.toBase58(),
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
  for (const [name, key] of Object.entries(wrong)) {
    test(name, () => {
      for (const read of [parseSecretKey, formatSecretKey]) {
        try {
          read(key as string);
          throw new Error("it was read");
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
          const shown = Bun.inspect(error, { depth: 5 }) + JSON.stringify(error);
          expect(shown).not.toContain(numbers.slice(0, 4).join(","));
          expect(shown).not.toContain(bs58.encode(secretKey).slice(0, 20));
        }
      }
    });
  }
});
