import { describe, expect, test } from "bun:test";
import { createApproveInstruction } from "@solana/spl-token";
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
import type { ClaimCost } from "./claim-check/terms.ts";
import { CheckError } from "./claim-errors.ts";
import { SignerError } from "./errors.ts";
import { signClaim } from "./sign-claim.ts";
import type { Signer } from "./signer.ts";
import { keypairSigner } from "./signer.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const claim = base64(build(localClaim()));
const signer = keypairSigner(agent);

/** A wallet that signs as the test says, and keeps the transactions that it was asked to sign. */
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

  /** What the refusal says of a forgery; of the others that an instruction was added or changed. */
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

describe("signClaim refuses a signer", () => {
  const wrong: Record<string, (transaction: Uint8Array) => Uint8Array | Promise<Uint8Array>> = {
    "that signs another claim": () =>
      signer.signTransaction(build(instructionsOf(fromBase64(meteoraClaims.curve)))),
    "that adds an instruction": () =>
      signer.signTransaction(build([...localClaim(), ...localClaim().slice(0, 1)])),
    "that changes the given bytes in place": (transaction) => {
      transaction.set([1, 2, 3], transaction.length - 3);
      return signer.signTransaction(transaction);
    },
  };
  for (const [name, sign] of Object.entries(wrong)) {
    test(name, async () => {
      const { spy, asked } = wallet(sign);
      await expect(signClaim(spy, claim, terms)).rejects.toBeInstanceOf(SignerError);
      expect(asked).toHaveLength(1);
    });
  }

  test("that throws, and keeps the cause", async () => {
    const { spy } = wallet(() => {
      throw new Error("the device is locked");
    });
    const error = await signClaim(spy, claim, terms).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SignerError);
    expect((error as SignerError).cause).toEqual(new Error("the device is locked"));
  });
});
