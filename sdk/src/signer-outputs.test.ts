import { describe, expect, test } from "bun:test";
import { Keypair, Transaction, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { joinTransaction, readMessage, writeVersion1 } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { agent, build, localClaim, terms } from "../test/claim-transactions.ts";
import { thrown, useScriptedServer } from "../test/client-fixtures.ts";
import { SignerError } from "./errors.ts";
import { signClaim } from "./sign-claim.ts";
import { keypairSigner, type Signer } from "./signer.ts";

const scripted = useScriptedServer();
const honest = keypairSigner(agent);
const other = keypairSigner(Keypair.generate());
const unsigned = build(localClaim());
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const bytes = (content: string) => new TextEncoder().encode(content);

/** What a wallet makes of the right bytes, and what the error must say of it. */
type Wrong = readonly [wrong: (right: Uint8Array) => unknown, saw: string];

/** Of both methods: everything that is no `Uint8Array`. */
const noBytes: Record<string, Wrong> = {
  undefined: [() => undefined, "returned undefined instead of"],
  null: [() => null, "returned null instead of"],
  "a boolean": [() => true, "returned a boolean"],
  "a number": [() => 64, "returned a number"],
  "a bigint": [() => 64n, "returned a bigint"],
  "a function": [() => () => new Uint8Array(64), "returned a function"],
  "an empty text": [() => "", "returned a text of 0 characters"],
  "a base58 text": [(right) => bs58.encode(right), "returned a base58 text of"],
  "a base64 text": [(right) => `+${base64(right).slice(1)}`, "returned a base64 text of"],
  "a hex text": [(right) => Buffer.from(right).toString("hex"), "returned a hex text of"],
  "a text with spaces": [() => "I signed it", "returned a text of 11 characters"],
  "an array of numbers": [(right) => [...right], "returned an array of"],
  "an array of bytes, as wallets return": [(right) => [right], "returned an array of 1 items"],
  "an ArrayBuffer": [(right) => right.slice().buffer, "an object of the class ArrayBuffer"],
  "a DataView": [(right) => new DataView(right.slice().buffer), "an object of the class DataView"],
  "another typed array": [(right) => new Uint16Array(right), "an object of the class Uint16Array"],
  "bytes out of postMessage": [
    (right) => JSON.parse(JSON.stringify({ ...right })),
    ", which JSON makes of bytes",
  ],
  "a Buffer out of JSON": [
    (right) => JSON.parse(JSON.stringify(Buffer.from(right))),
    "an object with the keys type, data",
  ],
  "an object with the signature": [
    (right) => ({ signature: right, publicKey: honest.publicKey }),
    "an object with the keys signature, publicKey",
  ],
  "an object without a prototype": [() => Object.create(null), "an empty object"],
};

const messages: Record<string, Wrong> = {
  ...noBytes,
  "no bytes": [() => new Uint8Array(), "returned 0 bytes instead of a 64-byte signature"],
  "63 bytes": [(right) => right.slice(1), "returned 63 bytes"],
  "the signature and the message": [
    (right) => Uint8Array.from([...right, ...bytes("Sign this")]),
    "returned 73 bytes",
  ],
  "64 zero bytes": [() => new Uint8Array(64), "is not valid for"],
  "a signature with a changed bit": [(right) => right.with(5, (right[5] ?? 0) ^ 1), "is not valid"],
};

/** Signs something else than the message that it was given. */
const otherMessages: Record<string, readonly [Signer["signMessage"], string]> = {
  "another key": [(message) => other.signMessage(message), "is not valid for"],
  "another message": [() => honest.signMessage(bytes("hello")), "is not valid for"],
  "the message in base58": [(m) => honest.signMessage(bytes(bs58.encode(m))), "is not valid for"],
  ...Object.fromEntries(
    [0, 1].map((format) => [
      `the message with the off-chain header, format ${format}`,
      [
        (message: Uint8Array) => {
          const header = [0xff, ...bytes("solana offchain"), 0, format];
          const length = [message.length & 0xff, message.length >> 8];
          return honest.signMessage(Uint8Array.from([...header, ...length, ...message]));
        },
        "put an off-chain header before the sign-in message",
      ],
    ]),
  ),
};

const read = (right: Uint8Array) => Transaction.from(right);
const transactions: Record<string, Wrong> = {
  ...noBytes,
  "a Transaction of web3.js": [read, "an object of the class Transaction"],
  "a VersionedTransaction": [
    (right) => VersionedTransaction.deserialize(right),
    "an object of the class VersionedTransaction",
  ],
  "no bytes": [() => new Uint8Array(), "0 bytes that are no transaction"],
  "a signature alone": [(right) => right.slice(1, 65), "a signature alone instead of"],
  "the message alone": [(right) => right.slice(65), "the message alone, without signatures"],
  "the transaction unsigned": [() => unsigned, "without a signature of"],
  "the base64 in bytes": [(right) => bytes(base64(right)), "that are no transaction"],
  "half of it": [(right) => right.slice(0, 100), "100 bytes that are no transaction"],
  "an extra byte": [(right) => Uint8Array.from([...right, 0]), "that are no transaction"],
  "a signature of another key": [
    (right) => {
      const signed = Uint8Array.from(right);
      signed.set(other.signMessage(right.slice(65)) as Uint8Array, 1);
      return signed;
    },
    "The signer's signature is not valid for",
  ],
  "accounts in another order": [
    (right) => {
      const { instructions } = read(right);
      const message = new TransactionMessage({
        payerKey: agent.publicKey,
        recentBlockhash: read(right).recentBlockhash ?? "",
        instructions: [...instructions],
      }).compileToLegacyMessage();
      const rebuilt = new VersionedTransaction(message);
      rebuilt.sign([agent]);
      return rebuilt.serialize();
    },
    "it lists its accounts in another order",
  ],
  "a transaction of version 0": [
    (right) => {
      const message = new TransactionMessage({
        payerKey: agent.publicKey,
        recentBlockhash: read(right).recentBlockhash ?? "",
        instructions: [...read(right).instructions],
      }).compileToV0Message();
      const rebuilt = new VersionedTransaction(message);
      rebuilt.sign([agent]);
      return rebuilt.serialize();
    },
    "a transaction of version 0 instead of",
  ],
  "a transaction of version 1": [
    async (right) => {
      const message = writeVersion1(readMessage(right.slice(65)));
      const signature = (await honest.signMessage(message)) as Uint8Array;
      return joinTransaction({ message, signatures: [signature] });
    },
    "a transaction of version 1 instead of",
  ],
};

const signerWith = (own: Partial<Signer>): Signer => ({
  publicKey: honest.publicKey,
  signMessage: (message) => honest.signMessage(message),
  signTransaction: (transaction) => honest.signTransaction(transaction),
  ...own,
});

async function expectNamed(calling: Promise<unknown>, saw: string) {
  const error = await thrown(calling);
  expect(error).toBeInstanceOf(SignerError);
  expect(error.message).toContain(saw);
}

describe("a sign-in is refused, with what the signer returned, if that is", () => {
  const signIn = (signMessage: Signer["signMessage"]) =>
    scripted.client({ signer: signerWith({ signMessage }) }).login();

  test.each(Object.entries(messages))("%s", async (_, [wrong, saw]) => {
    const signMessage = async (message: Uint8Array) =>
      wrong(await honest.signMessage(message)) as Uint8Array;
    await expectNamed(signIn(signMessage), saw);
  });

  test.each(Object.entries(otherMessages))("a signature of %s", async (_, [sign, saw]) => {
    await expectNamed(signIn(sign), saw);
  });
});

describe("a claim is refused, with what the signer returned, if that is", () => {
  test.each(Object.entries(transactions))("%s", async (_, [wrong, saw]) => {
    const signTransaction = async (transaction: Uint8Array) =>
      wrong(await honest.signTransaction(transaction)) as Uint8Array;
    const signing = signClaim(signerWith({ signTransaction }), base64(unsigned), terms);
    await expectNamed(signing, saw);
  });
});

test("bytes of another realm, and a Buffer, are bytes", async () => {
  const { runInNewContext } = await import("node:vm");
  const foreign = runInNewContext("(bytes) => new Uint8Array(bytes)");
  for (const of of [foreign, Buffer.from]) {
    const signTransaction = async (transaction: Uint8Array) =>
      of(await honest.signTransaction(transaction)) as Uint8Array;
    expect(await signClaim(signerWith({ signTransaction }), base64(unsigned), terms)).toBeString();
  }
});
