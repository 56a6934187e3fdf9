import { expect, test } from "bun:test";
import {
  AuthorityType,
  createApproveInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Keypair, Transaction, TransactionInstruction } from "@solana/web3.js";
import { checkSandboxTransaction } from "../launch-check.ts";

const agent = Keypair.generate().publicKey;
const [mint, account, stranger] = [1, 2, 3].map(() => Keypair.generate().publicKey) as [
  typeof agent,
  typeof agent,
  typeof agent,
];
const blockhash = Keypair.generate().publicKey.toBase58();

function check(instruction: TransactionInstruction): Promise<void> {
  const transaction = new Transaction({ feePayer: agent, blockhash, lastValidBlockHeight: 0 });
  const bytes = transaction.add(instruction).serialize({ requireAllSignatures: false });
  return checkSandboxTransaction(bytes, agent.toBase58(), 1_000_000n);
}

test("a sandbox's launch may let the agent spend, and may take none of its tokens, wherever it is named", async () => {
  await check(createApproveInstruction(account, agent, stranger, 1n));
  const thefts = [
    createTransferInstruction(account, stranger, agent, 1n),
    createApproveInstruction(account, stranger, agent, 1n),
    createBurnInstruction(account, mint, agent, 1n),
    createCloseAccountInstruction(account, stranger, agent),
    createSetAuthorityInstruction(account, agent, AuthorityType.AccountOwner, stranger),
    // A batch of instructions of the new token program.
    new TransactionInstruction({
      programId: TOKEN_PROGRAM_ID,
      keys: createTransferInstruction(account, stranger, agent, 1n).keys,
      data: Buffer.of(255),
    }),
  ];
  for (const theft of thefts) {
    await expect(check(theft)).rejects.toThrow("the agent's own tokens are changed");
    // The program ignores accounts behind the owner.
    theft.keys.push({ pubkey: stranger, isSigner: false, isWritable: false });
    await expect(check(theft)).rejects.toThrow("the agent's own tokens are changed");
  }
});
