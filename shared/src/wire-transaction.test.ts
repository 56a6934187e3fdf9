import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  joinTransaction,
  readMessage,
  splitTransaction,
  writeVersion1,
} from "./wire-transaction.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const few = fc.uint8Array({ maxLength: 20 });
const u32 = fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const message = fc.record({
  requiredSignatures: fc.integer({ min: 1, max: 12 }),
  readonlySigned: fc.nat(255),
  readonlyUnsigned: fc.nat(255),
  staticKeys: fc.array(bytes(32), { maxLength: 20 }),
  blockhash: bytes(32),
  instructions: fc.array(fc.record({ programIdIndex: fc.nat(255), accounts: few, data: few }), {
    maxLength: 10,
  }),
  config: fc.record({
    priorityFee: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    computeUnitLimit: u32,
    loadedAccountsDataSizeLimit: u32,
    heapSize: u32,
  }),
});

test("what is written as version 1 is read as the same, in a transaction too", () => {
  fc.assert(
    fc.property(message, (given) => {
      const written = writeVersion1(given);
      expect(readMessage(written)).toMatchObject({ ...given, version: 1, lookups: [] });
      const signatures = Array.from({ length: given.requiredSignatures }, (_, at) =>
        new Uint8Array(64).fill(at),
      );
      const parts = { signatures, message: written };
      expect(splitTransaction(joinTransaction(parts))).toEqual(parts);
      // Earlier versions put the signatures before the message.
      const early = Uint8Array.from([1, ...new Uint8Array(64), ...written]);
      expect(() => splitTransaction(early.subarray(0, 1_232))).toThrow("canonical");
    }),
  );
});
