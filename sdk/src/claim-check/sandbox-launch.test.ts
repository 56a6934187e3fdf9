import { expect, test } from "bun:test";
import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { checkSandboxTransaction } from "../launch-check.ts";

const agent = Keypair.generate().publicKey;
const [mint, account, stranger] = [1, 2, 3].map(() => Keypair.generate().publicKey) as [
  typeof agent,
  typeof agent,
  typeof agent,
];
const blockhash = Keypair.generate().publicKey.toBase58();

const create = (changes: object = {}) =>
  SystemProgram.createAccount({
    ...{ fromPubkey: agent, newAccountPubkey: mint, lamports: 400_000, space: 82 },
    ...{ programId: TOKEN_PROGRAM_ID, ...changes },
  });

function check(...instructions: TransactionInstruction[]) {
  const transaction = new Transaction({ feePayer: agent, blockhash, lastValidBlockHeight: 0 });
  const bytes = transaction.add(...instructions).serialize({ requireAllSignatures: false });
  const [own, tokenMint] = [agent.toBase58(), mint.toBase58()];
  const most = { maxNetworkFeeLamports: 100_000n, most: 1_000_000n };
  return checkSandboxTransaction(bytes, { agent: own, tokenMint, ...most });
}

test("a sandbox's launch may let the agent spend, and may take none of its tokens, wherever it is named", async () => {
  await check(create(), createApproveInstruction(account, agent, stranger, 1n));
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
    await expect(check(create(), theft)).rejects.toThrow("the agent's own tokens are changed");
    // The program ignores accounts behind the owner.
    theft.keys.push({ pubkey: stranger, isSigner: false, isWritable: false });
    await expect(check(create(), theft)).rejects.toThrow("the agent's own tokens are changed");
  }
});

test("a sandbox's launch says what it takes, and creates its mint, so that one for a mint can land", async () => {
  const pay = SystemProgram.transfer({ fromPubkey: agent, toPubkey: stranger, lamports: 500_000 });
  expect(await check(create(), pay)).toEqual({
    ...{ networkFeeLamports: 10_000n, takenLamports: 400_000n + 500_000n + 10_000n },
  });
  // The most that an account of Token-2022 may cost: 328 bytes.
  const own = [agent, account, agent, mint, TOKEN_2022_PROGRAM_ID] as const;
  const made = createAssociatedTokenAccountInstruction(...own);
  await expect(check(create(), made)).rejects.toThrow(`it takes ${400_000 + 10_000 + 328 * 6_960}`);
  const others = [
    { newAccountPubkey: account },
    { space: 165 },
    { programId: SystemProgram.programId },
  ];
  for (const instructions of [[pay], ...others.map((other) => [create(other), pay])]) {
    await expect(check(...instructions)).rejects.toThrow("it does not create the mint");
  }
});

test("a sandbox's launch costs no more network fee than the client pays: each one that fails takes it", async () => {
  const price = (microLamports: number) => [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
  ];
  expect(await check(create(), ...price(90_000))).toMatchObject({ networkFeeLamports: 100_000n });
  await expect(check(create(), ...price(90_001))).rejects.toThrow("of network fee, more than");
});
