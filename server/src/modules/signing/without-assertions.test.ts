import { describe, expect, test } from "bun:test";
import {
  Keypair,
  type Message,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from "@solana/web3.js";
import fc from "fast-check";
import {
  clockGuard,
  forgeries,
  lamportsGuard,
  openClaim,
  reordered,
  signMessage,
} from "../../../../test/support/assertions.ts";
import { withoutAssertions } from "./service.ts";

const wallet = Keypair.fromSeed(new Uint8Array(32).fill(1));
const address = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte));
const account = fc.record({
  pubkey: fc.constantFrom(wallet.publicKey, ...[7, 8, 9, 10].map(address)),
  isSigner: fc.constant(false),
  isWritable: fc.boolean(),
});
const instruction = fc
  .record({
    programId: fc.constantFrom(address(7), address(20), address(21)),
    keys: fc.array(account, { maxLength: 5 }),
    data: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((fields) => new TransactionInstruction(fields));
const claim = fc.array(instruction, { minLength: 1, maxLength: 6 });
const assertion = fc
  .constantFrom(wallet.publicKey, ...[8, 30, 31].map(address))
  .map((read) => lamportsGuard(read));
const added = fc.array(fc.record({ at: fc.nat(), assertion }), { minLength: 1, maxLength: 8 });

function compile(instructions: TransactionInstruction[]): Message {
  const recentBlockhash = address(99).toBase58();
  return new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash,
    instructions,
  }).compileToLegacyMessage();
}

test("the message that was handed out comes back byte for byte, wherever assertions were added", () => {
  fc.assert(
    fc.property(claim, added, fc.boolean(), (instructions, additions, isReordered) => {
      const prepared = compile(instructions);
      // Compiled from what the message says of each account, as a wallet does it.
      let guarded = TransactionMessage.decompile(prepared).instructions;
      for (const { at, assertion } of additions) {
        guarded = guarded.toSpliced(at % (guarded.length + 1), 0, assertion);
      }
      const message = isReordered ? reordered(compile(guarded)) : compile(guarded);
      const stripped = withoutAssertions(message.serialize());
      expect(stripped).toEqual(Uint8Array.from(prepared.serialize()));
    }),
  );
});

describe("a message", () => {
  const instructions = [
    new TransactionInstruction({
      programId: address(20),
      keys: [
        { pubkey: address(7), isSigner: false, isWritable: true },
        { pubkey: PublicKey.default, isSigner: false, isWritable: false },
      ],
      data: Buffer.of(1),
    }),
    new TransactionInstruction({
      programId: address(21),
      keys: [{ pubkey: address(7), isSigner: false, isWritable: true }],
      data: Buffer.of(2),
    }),
  ];
  const prepared = compile(instructions);
  const unsigned = Buffer.concat([Buffer.alloc(65).fill(1, 0, 1), prepared.serialize()]);

  test("without assertions is not taken apart", () => {
    expect(withoutAssertions(prepared.serialize())).toBeNull();
  });

  test("cut off at any byte, or longer, is refused", () => {
    const guarded = compile([...instructions, clockGuard()]).serialize();
    expect(withoutAssertions(guarded)).not.toBeNull();
    for (let end = 0; end < guarded.length; end++) {
      expect(withoutAssertions(guarded.subarray(0, end))).toBeNull();
    }
    expect(withoutAssertions(Buffer.concat([guarded, Buffer.of(0)]))).toBeNull();
  });

  const other = openClaim(unsigned).instructions.toReversed();
  test.each(forgeries(unsigned, wallet, other))(
    "with %s never becomes the one that was handed out",
    (_, bytes) => {
      const stripped = withoutAssertions(bytes.subarray(1 + 64 * (bytes[0] ?? 0)));
      expect(stripped).not.toEqual(Uint8Array.from(prepared.serialize()));
    },
  );

  test("signed as it was handed out, with an assertion, does", () => {
    const guarded = signMessage(compile([...instructions, clockGuard()]), wallet);
    const stripped = withoutAssertions(guarded.subarray(65));
    expect(stripped).toEqual(Uint8Array.from(prepared.serialize()));
  });
});
