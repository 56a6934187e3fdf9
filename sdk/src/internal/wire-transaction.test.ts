import { expect, test } from "bun:test";
import bs58 from "bs58";
import nacl from "tweetnacl";
import {
  agent,
  build,
  keypair,
  localClaim,
  sponsor,
  sponsoredClaim,
} from "../../test/claim-transactions.ts";
import { InvalidArgumentError } from "../errors.ts";
import { keypairSigner } from "../signer.ts";
import { readSignedClaim } from "./wire-transaction.ts";

async function signed(transaction: Uint8Array) {
  const bytes = await keypairSigner(agent).signTransaction(transaction);
  return readSignedClaim(Buffer.from(bytes).toString("base64"));
}

const signature = (message: Uint8Array, by = sponsor) =>
  bs58.encode(nacl.sign.detached(message, by.secretKey));

test("a claim that the agent signs alone has the name of its signature, and no other", async () => {
  const unsigned = build(localClaim());
  const claim = await signed(unsigned);
  const name = signature(unsigned.subarray(65), agent);
  expect(claim).toMatchObject({ agentSignature: name, signerIndex: 0 });
  expect(claim.isNamed(name)).toBe(true);
  expect(claim.isNamed(signature(unsigned.subarray(65)))).toBe(false);
});

test("a sponsored claim has the name of its sponsor's signature, and no other", async () => {
  const unsigned = build(sponsoredClaim(), sponsor.publicKey);
  const claim = await signed(unsigned);
  const message = unsigned.subarray(129);
  expect(claim.signerIndex).toBe(1);
  expect(claim.isNamed(signature(message))).toBe(true);
  const others = [claim.agentSignature, signature(message, keypair(3)), "", "0", "1".repeat(64)];
  for (const name of [...others, signature(message.subarray(1))]) {
    expect(claim.isNamed(name)).toBe(false);
  }
});

test("what is no signed transaction is refused", () => {
  for (const transaction of ["", "AA==", "A".repeat(2_000)]) {
    expect(() => readSignedClaim(transaction)).toThrow(InvalidArgumentError);
  }
});
