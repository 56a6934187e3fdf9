import { expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { keypair } from "../../test/claim-transactions.ts";
import { isOnCurve } from "./ed25519.ts";
import { addressWithSeed, findProgramAddress } from "./program-address.ts";

const seed = fc.uint8Array({ maxLength: 32 });
const address = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("a program's addresses are those that web3.js computes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(seed, { maxLength: 4 }), address, async (seeds, program) => {
      const id = new PublicKey(program);
      const [expected] = PublicKey.findProgramAddressSync(seeds, id);
      expect(findProgramAddress(seeds, program)).toEqual(expected.toBytes());
      const withSeed = await PublicKey.createWithSeed(id, "curve", id);
      expect(addressWithSeed(program, "curve", program)).toEqual(withSeed.toBytes());
    }),
    { numRuns: 100 },
  );
});

test("a wallet is on the curve, a program's address is not", () => {
  for (let i = 1; i < 20; i++) {
    const wallet = keypair(i).publicKey.toBytes();
    expect(isOnCurve(wallet)).toBeTrue();
    expect(isOnCurve(findProgramAddress([wallet], wallet))).toBeFalse();
  }
});
