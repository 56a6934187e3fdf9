import { expect, test } from "bun:test";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMint2Instruction,
  createInitializeNonTransferableMintInstruction,
  createInitializePausableConfigInstruction,
  createInitializeTransferFeeConfigInstruction,
  createInitializeTransferHookInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { SystemProgram, Transaction } from "@solana/web3.js";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";
import {
  agent,
  build,
  costOf,
  fromBase64,
  instructionsOf,
  meteoraClaims,
  mint,
} from "./claim-transactions.ts";

/** What the account that a claim makes for a token holds on a real Associated Token program. */
function rentOnChain(extensions: ExtensionType[], program: PublicKey): bigint {
  const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false);
  svm.airdrop(agent.publicKey.toBase58() as never, 10_000_000_000n as never);
  const space = getMintLen(extensions);
  const own = agent.publicKey;
  const initialize: Partial<Record<ExtensionType, TransactionInstruction>> = {
    [ExtensionType.TransferFeeConfig]: createInitializeTransferFeeConfigInstruction(
      ...([mint, own, own, 100, 1_000n] as const),
    ),
    [ExtensionType.NonTransferable]: createInitializeNonTransferableMintInstruction(
      mint,
      TOKEN_2022_PROGRAM_ID,
    ),
    [ExtensionType.TransferHook]: createInitializeTransferHookInstruction(
      ...([mint, own, own, TOKEN_2022_PROGRAM_ID] as const),
    ),
    [ExtensionType.PausableConfig]: createInitializePausableConfigInstruction(mint, own),
  };
  send(svm, [
    SystemProgram.createAccount({
      fromPubkey: own,
      newAccountPubkey: mint,
      lamports: 100_000_000,
      space,
      programId: program,
    }),
    ...extensions.flatMap((extension) => initialize[extension] ?? []),
    createInitializeMint2Instruction(mint, 6, own, null, program),
  ]);
  const account = getAssociatedTokenAddressSync(mint, own, false, program);
  send(svm, [createAssociatedTokenAccountIdempotentInstruction(own, account, own, mint, program)]);
  const made = svm.getAccount(account.toBase58() as never);
  if (!made.exists) throw new Error("the account was not made");
  return made.lamports;
}

/** Unsigned: this chain does not check signatures. */
function send(svm: LiteSVM, instructions: TransactionInstruction[]): void {
  const transaction = new Transaction({
    feePayer: agent.publicKey,
    recentBlockhash: "1".repeat(32),
  });
  transaction.add(...instructions);
  const message = transaction.compileMessage();
  const signers = message.accountKeys.slice(0, message.header.numRequiredSignatures);
  const result = svm.sendTransaction({
    messageBytes: message.serialize(),
    signatures: Object.fromEntries(
      signers.map((signer) => [signer.toBase58(), new Uint8Array(64).fill(1)]),
    ),
  } as never);
  if (result instanceof FailedTransactionMetadata) throw new Error(result.toString());
}

test("the rent that the check computes is what the chain takes", () => {
  expect(costOf(fromBase64(meteoraClaims.curve)).rentLamports).toBe(
    rentOnChain([], TOKEN_PROGRAM_ID),
  );
});

test("an account of Token-2022 never takes more rent than the check computes", () => {
  const account = getAssociatedTokenAddressSync(
    mint,
    agent.publicKey,
    false,
    TOKEN_2022_PROGRAM_ID,
  );
  const claim = instructionsOf(fromBase64(meteoraClaims.curve));
  claim[2] = createAssociatedTokenAccountIdempotentInstruction(
    ...([agent.publicKey, account, agent.publicKey, mint, TOKEN_2022_PROGRAM_ID] as const),
  );
  Object.assign(claim[4]?.keys[2] ?? {}, { pubkey: account });
  Object.assign(claim[4]?.keys[9] ?? {}, { pubkey: TOKEN_2022_PROGRAM_ID });
  const { rentLamports } = costOf(build(claim));
  const all = [
    ExtensionType.TransferFeeConfig,
    ExtensionType.NonTransferable,
    ExtensionType.TransferHook,
    ExtensionType.PausableConfig,
  ];
  const plain = rentOnChain([], TOKEN_2022_PROGRAM_ID);
  const fullest = rentOnChain(all, TOKEN_2022_PROGRAM_ID);
  expect(fullest).toBeGreaterThan(plain);
  expect(rentLamports).toBeGreaterThanOrEqual(fullest);
});
