import { describe, expect, test } from "bun:test";
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import fc from "fast-check";
import { openTestChain, SOL, transfer } from "./testing/local-chain.ts";
import { versionOneTransfer } from "./testing/version-1.ts";
import { MalformedTransactionError, parseTransaction, withBlockhash } from "./wire-transaction.ts";

const payer = Keypair.generate();
const to = PublicKey.unique();
const blockhash = PublicKey.unique().toBase58();

function versioned(...tables: AddressLookupTableAccount[]): VersionedTransaction {
  const instruction = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: to,
    lamports: 1,
  });
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [instruction],
  }).compileToV0Message(tables);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return transaction;
}

describe("parseTransaction", () => {
  test("refuses extra bytes, missing bytes, long lengths, later versions and oversize", async () => {
    const bytes = versioned().serialize();
    const version2 = Uint8Array.from(bytes);
    version2[65] = 0x82;
    const version1 = await versionOneTransfer(payer, blockhash);
    const changed = (at: number, value: number) => version1.with(at, value);
    const longLength = Uint8Array.from([0x81, 0x00, ...bytes.subarray(1)]);
    const refused = [
      new Uint8Array(),
      Uint8Array.from([...bytes, 0]),
      bytes.subarray(0, -1),
      longLength,
      version2,
      version1.subarray(0, -1),
      Uint8Array.from([...version1, 0]),
      changed(1, 13),
      changed(4, 0b1101),
      changed(4, 0b10_1111),
      changed(41, 65),
      new Uint8Array(1_233),
    ];
    for (const wrong of refused) {
      expect(() => parseTransaction(wrong)).toThrow(MalformedTransactionError);
    }
  });

  test("refuses addresses from a lookup table by name", () => {
    const table = new AddressLookupTableAccount({
      key: PublicKey.unique(),
      state: {
        deactivationSlot: 0xffff_ffff_ffff_ffffn,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [to],
      },
    });
    const bytes = versioned(table).serialize();
    expect(() => parseTransaction(bytes)).toThrow("offers no address lookup tables");
  });

  test("accepts only bytes that LiteSVM can read", async () => {
    // LiteSVM aborts the process on bytes that it cannot read, so surviving is the test.
    const { chain } = openTestChain();
    chain.airdrop(payer.publicKey, SOL);
    const version1 = await versionOneTransfer(payer, blockhash);
    const samples = [transfer(chain, payer, 5n), versioned().serialize(), version1];
    const mutation = fc.record({
      sample: fc.nat(samples.length - 1),
      edits: fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      cut: fc.nat(3),
    });
    let accepted = 0;
    fc.assert(
      fc.property(mutation, ({ sample, edits, cut }) => {
        const bytes = Uint8Array.from(samples[sample] ?? []);
        // Skips the bytes of signatures, which version 1 has at the end: any are valid.
        const start = bytes[0] === 0x81 ? 1 : 65;
        for (const [at, value] of edits) bytes[start + (at % (bytes.length - 65))] = value;
        try {
          chain.simulateTransaction(bytes.subarray(0, bytes.length - cut), {
            replaceBlockhash: true,
          });
          accepted += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedTransactionError);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

test("withBlockhash replaces only the blockhash", async () => {
  for (const bytes of [versioned().serialize(), await versionOneTransfer(payer, blockhash)]) {
    const tx = parseTransaction(bytes);
    const replaced = withBlockhash(tx, new Uint8Array(32).fill(9));
    expect(replaced.message.blockhash).toEqual(new Uint8Array(32).fill(9));
    expect(replaced.message.instructions).toEqual(tx.message.instructions);
    expect(replaced.signature).toBe(tx.signature);
  }
});
