import { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import {
  type Args,
  type BuiltInstruction,
  type Given,
  InstructionBuilder,
  type InstructionName,
  type Program,
} from "@tokenctl/shared/programs/program";

export const builder = new InstructionBuilder((seeds, program) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBytes(),
);

/** As {@link InstructionBuilder.build}, for a transaction of web3.js. */
export function instruction<P extends Program, N extends InstructionName<P>>(
  program: P,
  name: N,
  given: Given<P, N>,
  args: Args<P, N>,
  more: readonly string[] = [],
): TransactionInstruction {
  return toInstruction(builder.build(program, name, given, args, more));
}

export function toInstruction({ program, accounts, data }: BuiltInstruction) {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ address, isSigner, isWritable }) => ({
      pubkey: new PublicKey(address),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data),
  });
}

/** The instructions of the program that create a pool; each is named so in its IDL. */
const CREATES_POOL = Object.entries(dbc.instructions)
  .filter(([name]) => name.startsWith("initialize_"))
  .map(([, { tag }]) => Buffer.from(tag));

export function createsPool(program: PublicKey, data: Uint8Array): boolean {
  if (program.toBase58() !== dbc.id) return false;
  return CREATES_POOL.some((tag) => tag.equals(data.subarray(0, tag.length)));
}
