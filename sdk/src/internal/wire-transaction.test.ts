import { expect, test } from "bun:test";
import { Message } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import nacl from "tweetnacl";
import {
  agent,
  build,
  fromBase64,
  keypair,
  localClaim,
  meteoraClaims,
  sponsor,
  sponsoredClaim,
} from "../../test/claim-transactions.ts";
import { InvalidArgumentError } from "../errors.ts";
import { keypairSigner } from "../signer.ts";
import { equalBytes } from "./bytes.ts";
import { type LegacyMessage, readLegacyMessage, readSignedClaim } from "./wire-transaction.ts";

const claims = [build(localClaim()), ...Object.values(meteoraClaims).map(fromBase64)];
const messages = claims.map((transaction) => transaction.subarray(65));

/** Returns what web3.js reads, or null if it would not write the same bytes. */
function asWeb3Reads(bytes: Uint8Array): LegacyMessage | null {
  try {
    const message = Message.from(bytes);
    if (!equalBytes(message.serialize(), bytes)) return null;
    const addresses = message.accountKeys.map((key) => key.toBase58());
    const address = (place: number) => {
      if (addresses[place] === undefined) throw new RangeError("no such account");
      return addresses[place];
    };
    return {
      requiredSigners: message.header.numRequiredSignatures,
      addresses,
      writable: new Set(addresses.filter((_, place) => message.isAccountWritable(place))),
      blockhash: message.recentBlockhash,
      instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
        program: address(programIdIndex),
        accounts: accounts.map(address),
        data: bs58.decode(data),
      })),
    };
  } catch {
    return null;
  }
}

function read(bytes: Uint8Array): LegacyMessage | null {
  try {
    return readLegacyMessage(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

test("a message is read as web3.js reads it, and damaged bytes too or not at all", () => {
  const damage = fc.array(
    fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) }),
    { minLength: 1, maxLength: 3 },
  );
  for (const message of messages) {
    expect(readLegacyMessage(message)).toEqual(asWeb3Reads(message) as LegacyMessage);
  }
  let readable = 0;
  fc.assert(
    fc.property(fc.constantFrom(...messages), damage, (message, cuts) => {
      let bytes = [...message];
      for (const { at, remove, insert } of cuts) {
        bytes = bytes.toSpliced(at % (bytes.length + 1), remove, ...insert);
      }
      // Clears the bit of a versioned message, which would be refused.
      bytes[0] = (bytes[0] ?? 0) & 0x7f;
      const seen = read(Uint8Array.from(bytes));
      if (seen !== null) readable++;
      expect(seen).toEqual(asWeb3Reads(Uint8Array.from(bytes)));
    }),
    { numRuns: 1_000 },
  );
  expect(readable).toBeGreaterThan(20);
});

test("a length is at most 65535 and takes no byte more than it needs", () => {
  const upTo = (...length: number[]) => Uint8Array.from([1, 0, 0, ...length]);
  expect(() => readLegacyMessage(upTo(0x80, 0))).toThrow("canonical");
  expect(() => readLegacyMessage(upTo(0xff, 0x80, 0))).toThrow("canonical");
  expect(() => readLegacyMessage(upTo(0xff, 0xff, 0x04))).toThrow("more than 65535");
  expect(() => readLegacyMessage(upTo(0xff, 0xff, 0xff, 0x01))).toThrow("more than 65535");
  expect(() => readLegacyMessage(upTo(0xff, 0xff, 0x03))).toThrow("ends after");
});

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
  const others = [
    claim.agentSignature,
    signature(message, keypair(3)),
    "",
    "0",
    "1".repeat(64),
    "2".repeat(1 << 20),
  ];
  for (const name of [...others, signature(message.subarray(1))]) {
    expect(claim.isNamed(name)).toBe(false);
  }
});

test("what is no signed transaction is refused", () => {
  for (const transaction of ["", "AA==", "A".repeat(2_000)]) {
    expect(() => readSignedClaim(transaction)).toThrow(InvalidArgumentError);
  }
});
