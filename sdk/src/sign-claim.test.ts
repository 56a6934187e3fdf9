import { describe, expect, test } from "bun:test";
import { createApproveInstruction } from "@solana/spl-token";
import {
  Keypair,
  Message,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { joinTransaction, readMessage, writeVersion1 } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import nacl from "tweetnacl";
import {
  forgeries,
  openClaim,
  reordered,
  signGuarded,
  signMessage,
  withGuards,
} from "../../test/support/assertions.ts";
import {
  agent,
  build,
  fromBase64,
  instructionsOf,
  localClaim,
  meteoraClaims,
  sponsor,
  sponsoredClaim,
  stranger,
  terms,
  wrappedSol,
} from "../test/claim-transactions.ts";
import { thrown, useScriptedServer } from "../test/client-fixtures.ts";
import { signClaim } from "../test/sign-claim.ts";
import type { ClaimCost } from "./claim-check/terms.ts";
import { CheckError } from "./claim-errors.ts";
import { SignerError } from "./errors.ts";
import { keypairSigner, type Signer } from "./signer.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const claim = base64(build(localClaim()));
const signer = keypairSigner(agent);

/** Returns a wallet that signs as the test says and records what it was asked to sign. */
function wallet(signTransaction: (transaction: Uint8Array) => Uint8Array | Promise<Uint8Array>) {
  const asked: Uint8Array[] = [];
  const spy: Signer = {
    publicKey: signer.publicKey,
    signMessage: (message) => signer.signMessage(message),
    signTransaction: (transaction) => {
      asked.push(Uint8Array.from(transaction));
      return signTransaction(transaction);
    },
  };
  return { spy, asked };
}

test("signClaim returns the same message, signed by the agent", async () => {
  for (const transaction of [claim, ...Object.values(meteoraClaims)]) {
    const signed = fromBase64(await signClaim(signer, transaction, terms));
    const message = signed.subarray(65);
    expect(message).toEqual(fromBase64(transaction).subarray(65));
    const key = agent.publicKey.toBytes();
    expect(nacl.sign.detached.verify(message, signed.subarray(1, 65), key)).toBe(true);
  }
});

test("signClaim signs a sponsored claim beside the sponsor, who signs later", async () => {
  const unsigned = build(sponsoredClaim(), sponsor.publicKey);
  const costs: ClaimCost[] = [];
  const signed = fromBase64(
    await signClaim(signer, base64(unsigned), {
      ...terms,
      approve: (cost) => void costs.push(cost),
    }),
  );
  const message = signed.subarray(129);
  expect(message).toEqual(unsigned.subarray(129));
  expect(signed.subarray(1, 65)).toEqual(new Uint8Array(64));
  const key = agent.publicKey.toBytes();
  expect(nacl.sign.detached.verify(message, signed.subarray(65, 129), key)).toBe(true);
  expect(costs[0]?.sponsor?.address).toBe(sponsor.publicKey.toBase58());
});

test("signClaim refuses a signer that leaves out the sponsor's place", async () => {
  const unsigned = build(sponsoredClaim(), sponsor.publicKey);
  const { spy } = wallet(async (transaction) => {
    const signed = await signer.signTransaction(transaction);
    return Uint8Array.from([1, ...signed.subarray(65)]);
  });
  await expect(signClaim(spy, base64(unsigned), terms)).rejects.toThrow("a different transaction");
});

test("a refused transaction never reaches the signer", async () => {
  const { spy, asked } = wallet((transaction) => signer.signTransaction(transaction));
  const theft = createApproveInstruction(wrappedSol, stranger, agent.publicKey, 1n);
  const transactions = [
    base64(build([...localClaim(), theft])),
    "",
    "AAAA",
    "not base64!",
    `${claim} `,
  ];
  for (const transaction of transactions) {
    const signing = signClaim(spy, transaction, terms);
    await expect(signing).rejects.toBeInstanceOf(CheckError);
  }
  expect(asked).toEqual([]);
});

describe("a wallet that adds assertions", () => {
  const sign = (transaction: string, signed: (unsigned: Uint8Array) => Uint8Array) =>
    signClaim(wallet(signed).spy, transaction, terms);

  test("signs a claim, and what it signed is returned as it is", async () => {
    for (const transaction of [claim, meteoraClaims.curve, meteoraClaims.both]) {
      const signed = signGuarded(fromBase64(transaction), agent);
      expect(fromBase64(await sign(transaction, () => signed))).toEqual(signed);
    }
  });

  test("may list the accounts in another order", async () => {
    const { compile, instructions } = openClaim(fromBase64(claim));
    const message = reordered(compile(withGuards(instructions, agent.publicKey)));
    const signed = signMessage(message, agent);
    expect(fromBase64(await sign(claim, () => signed))).toEqual(signed);
    const plain = signMessage(reordered(compile(instructions)), agent);
    await expect(sign(claim, () => plain)).rejects.toThrow(
      "it lists its accounts in another order",
    );
  });

  test("must sign what it returns", async () => {
    const signed = signGuarded(fromBase64(claim), agent);
    const own = fromBase64(await signClaim(signer, claim, terms)).subarray(1, 65);
    const signing = sign(claim, () => Uint8Array.from([1, ...own, ...signed.subarray(65)]));
    await expect(signing).rejects.toThrow("signature is not valid for");
  });

  /** Reasons of refusals; any other forgery adds, moves or changes an instruction. */
  const reasons: Record<string, string> = {
    "another blockhash": "it has another blockhash",
    "another fee payer": "it has 2 signatures instead of 1",
    "another signer": "it has 2 signatures instead of 1",
    "no claim at all": "an instruction of program Token",
    "an instruction less": "an instruction of program Token",
    "a version": "a transaction of version 0",
    "an account that nothing uses": "no instruction uses its account",
    "an account twice": "it names an account twice",
    "a writable program": "it makes the account Token",
    "a vault that it only reads": " read-only",
    "another writable account": "it makes the account CJfRUQ",
    "an account of the claim made writable": "it makes the account Token",
    "nine assertions": "it has 9 assertions, more than 8",
    "a write into memory": "is not an assertion",
    "a write that names no account": "is not an assertion",
    "a closed memory": "is not an assertion",
    "an assertion that calls another program": "is not an assertion",
    "an instruction that Lighthouse does not have": "is not an assertion",
    "an empty instruction": "is not an assertion",
  };
  const curve = instructionsOf(fromBase64(meteoraClaims.curve));
  const forged = forgeries(build(localClaim()), agent, curve);
  test.each(forged)("makes no claim with %s, and the refusal says so", async (what, signed) => {
    const signing = sign(claim, () => signed);
    await expect(signing).rejects.toBeInstanceOf(SignerError);
    await expect(signing).rejects.toThrow(reasons[what] ?? "is added, moved or changed");
  });

  test("may add none to a sponsored claim", async () => {
    const unsigned = build(sponsoredClaim(), sponsor.publicKey);
    const signing = sign(base64(unsigned), () => signGuarded(unsigned, agent));
    await expect(signing).rejects.toThrow("it adds assertions to a sponsored claim");
  });
});

test("signClaim refuses a signer that changes the given bytes in place", async () => {
  const { spy } = wallet((transaction) => {
    transaction.set([1, 2, 3], transaction.length - 3);
    return signer.signTransaction(transaction);
  });
  await expect(signClaim(spy, claim, terms)).rejects.toBeInstanceOf(SignerError);
});

test("what a signer throws is the cause of the error", async () => {
  const cause = new Error("the device is locked");
  const { spy } = wallet(() => Promise.reject(cause));
  expect(await thrown(signClaim(spy, claim, terms))).toMatchObject({ name: "SignerError", cause });
});

const scripted = useScriptedServer();
const honest = keypairSigner(agent);
const other = keypairSigner(Keypair.generate());
const unsigned = build(localClaim());
const bytes = (content: string) => new TextEncoder().encode(content);

/** What a wallet returns instead of the right bytes, and what the error must say. */
type Wrong = readonly [wrong: (right: Uint8Array) => unknown, saw: string];

/** For both methods: everything that is not a `Uint8Array`. */
const noBytes: Record<string, Wrong> = {
  undefined: [() => undefined, "returned undefined instead of"],
  null: [() => null, "returned null instead of"],
  "a number": [() => 64, "returned a number"],
  "a function": [() => () => new Uint8Array(64), "returned a function"],
  "an empty text": [() => "", "returned a text of 0 characters"],
  "an ArrayBuffer": [(right) => right.slice().buffer, "an object of the class ArrayBuffer"],
  "another typed array": [(right) => new Uint16Array(right), "an object of the class Uint16Array"],
  "bytes out of postMessage": [
    (right) => JSON.parse(JSON.stringify({ ...right })),
    "an object of the class Object",
  ],
  "an object without a prototype": [() => Object.create(null), "an object of the class Object"],
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

/** Signers that sign something other than the given message. */
const otherMessages: Record<string, readonly [Signer["signMessage"], string]> = {
  "another key": [(message) => other.signMessage(message), "is not valid for"],
  "another message": [() => honest.signMessage(bytes("hello")), "is not valid for"],
  "the message in base58": [(m) => honest.signMessage(bytes(bs58.encode(m))), "is not valid for"],
  "the message with the off-chain header": [
    (message) =>
      honest.signMessage(Uint8Array.from([0xff, ...bytes("solana offchain"), ...message])),
    "is not valid for",
  ],
};

const read = (right: Uint8Array) => Transaction.from(right);
function asVersion0(right: Uint8Array) {
  const { recentBlockhash = "", instructions } = read(right);
  const parts = { payerKey: agent.publicKey, recentBlockhash, instructions };
  const transaction = new VersionedTransaction(new TransactionMessage(parts).compileToV0Message());
  transaction.sign([agent]);
  return transaction.serialize();
}
const transactions: Record<string, Wrong> = {
  ...noBytes,
  "a Transaction of web3.js": [read, "an object of the class Transaction"],
  "a VersionedTransaction": [
    (right) => VersionedTransaction.deserialize(right),
    "an object of the class VersionedTransaction",
  ],
  "no bytes": [() => new Uint8Array(), "0 bytes that are not a transaction"],
  "a signature alone": [(right) => right.slice(1, 65), "64 bytes that are not a transaction"],
  "the message alone": [(right) => right.slice(65), "that are not a transaction"],
  "the transaction unsigned": [() => unsigned, "without a signature of"],
  "the base64 in bytes": [(right) => bytes(base64(right)), "that are not a transaction"],
  "half of it": [(right) => right.slice(0, 100), "100 bytes that are not a transaction"],
  "an extra byte": [(right) => Uint8Array.from([...right, 0]), "that are not a transaction"],
  "a signature of another key": [
    (right) => {
      const signed = Uint8Array.from(right);
      signed.set(other.signMessage(right.slice(65)) as Uint8Array, 1);
      return signed;
    },
    "The signer's signature is not valid for",
  ],
  "accounts in another order": [
    (right) => signMessage(reordered(Message.from(right.slice(65))), agent),
    "it lists its accounts in another order",
  ],
  "a transaction of version 0": [asVersion0, "a transaction of version 0 instead of"],
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
