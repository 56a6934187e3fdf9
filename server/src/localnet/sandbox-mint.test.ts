import { expect, test } from "bun:test";
import { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { SANDBOX_INSTRUCTION, SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { openTestChain, signed } from "./testing/local-chain.ts";

const { accounts, data, program } = SANDBOX_INSTRUCTION;
const marked = (mint: string) =>
  new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ isSigner, isWritable }) => ({
      pubkey: new PublicKey(mint),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data),
  });

test("the sandbox's mint has the address of its sentence, for which there is no key", () => {
  const mint = new PublicKey(SANDBOX_MINT).toBytes();
  expect(new TextDecoder().decode(mint)).toBe("This mint marks a tokend sandbox");
  expect(PublicKey.isOnCurve(mint)).toBe(false);
});

test("the sandbox's instruction succeeds and changes nothing, and fails without its mint", () => {
  const { chain, wallet } = openTestChain();
  const payer = wallet();
  const run = (mint: string) =>
    chain.simulateTransaction(signed(chain.latestBlockhash().blockhash, [payer], marked(mint)));
  expect(run(SANDBOX_MINT).error).toBeNull();
  for (const absent of [PublicKey.unique(), payer.publicKey]) {
    expect(run(absent.toBase58()).error).toEqual({
      InstructionError: [0, "IncorrectProgramId"],
    });
  }
});
