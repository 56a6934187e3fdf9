import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { Keypair, Transaction } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { build, localClaim, agent as owner } from "../test/claim-transactions.ts";
import { InvalidArgumentError } from "./errors.ts";
import { generateSecretKey, keypairSigner } from "./signer.ts";

describe("keypairSigner", () => {
  const signer = keypairSigner(owner);

  test("has the address of its wallet", () => {
    expect(signer.publicKey).toBe(owner.publicKey.toBase58());
    expect(keypairSigner(bs58.encode(owner.secretKey)).publicKey).toBe(signer.publicKey);
    expect(keypairSigner([...owner.secretKey]).publicKey).toBe(signer.publicKey);
  });

  test("signs a message with Ed25519", async () => {
    const message = new TextEncoder().encode("Sign this message to authenticate: 1");
    const signature = await signer.signMessage(message);
    expect(nacl.sign.detached.verify(message, signature, owner.publicKey.toBytes())).toBe(true);
  });

  test("signs a transaction as web3.js does, and does not change the given bytes", async () => {
    const unsigned = build(localClaim());
    const expected = Transaction.from(unsigned);
    expected.sign(owner);
    const given = Uint8Array.from(unsigned);
    const signed = await signer.signTransaction(given);
    expect(Buffer.from(signed).equals(expected.serialize())).toBe(true);
    expect(given).toEqual(Uint8Array.from(unsigned));
  });

  test("refuses to sign what is not a transaction that it is to sign", () => {
    const of = (count: number) => new Uint8Array([count, ...new Uint8Array(200)]);
    for (const bytes of [new Uint8Array(), of(0), of(2), of(3)]) {
      expect(() => keypairSigner(owner).signTransaction(bytes)).toThrow(InvalidArgumentError);
    }
  });

  test("does not change when the bytes that it was made from change", async () => {
    const secretKey = Uint8Array.from(owner.secretKey);
    const signer = keypairSigner(secretKey);
    secretKey.fill(0);
    const message = new Uint8Array([1]);
    const signature = await signer.signMessage(message);
    expect(nacl.sign.detached.verify(message, signature, owner.publicKey.toBytes())).toBe(true);
  });

  test("shows its secret nowhere", () => {
    const signer = keypairSigner(owner);
    const shown = [
      JSON.stringify(signer),
      inspect(signer, { depth: 9, showHidden: true }),
      Bun.inspect(signer, { depth: 9 }),
      JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(signer))),
    ].join();
    expect(shown).not.toContain([...owner.secretKey.subarray(0, 4)].join(","));
    expect(shown).not.toContain([...owner.secretKey.subarray(0, 4)].join(", "));
    expect(shown).not.toContain(bs58.encode(owner.secretKey).slice(0, 16));
  });
});

test("generateSecretKey makes a new wallet each time", () => {
  const { publicKey, secretKey } = generateSecretKey();
  expect(Keypair.fromSecretKey(secretKey).publicKey.toBase58()).toBe(publicKey);
  expect(generateSecretKey().publicKey).not.toBe(publicKey);
});
