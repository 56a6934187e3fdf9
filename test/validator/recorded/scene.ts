import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  AddressLookupTableProgram,
  type Connection,
  type Keypair,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { generateKeypair } from "../../../server/src/base/native-keys.ts";
import { send } from "../../../server/src/launchpad/meteora/testing/send.ts";
import { createMemoInstruction } from "../../../server/src/localnet/testing/memo.ts";
import { versionOneTransfer } from "../../../server/src/localnet/testing/version-1.ts";

export interface Scene {
  readonly payer: Keypair;
  readonly absent: string;
  readonly mint: string;
  readonly token: string;
  readonly table: string;
  readonly landed: Readonly<
    Record<"transfer" | "failed" | "token" | "version0" | "version1", string>
  >;
  /** The bytes of the landed transfer. */
  readonly transferBytes: Uint8Array;
  readonly slot: number;
  readonly blockhash: string;
  readonly finalBlockhash: string;
}

/**
 * Makes the scene by what a client has. All of it is final in the end.
 *
 * @param untilFinal waits until a transaction that was sent is final
 */
export async function makeScene(
  connection: Connection,
  untilFinal: (signature: string) => Promise<void>,
): Promise<Scene> {
  const payer = generateKeypair();
  await untilFinal(await connection.requestAirdrop(payer.publicKey, 100e9));
  const pay = (lamports: number) =>
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: receiver, lamports });
  const receiver = generateKeypair().publicKey;

  const { blockhash: used } = await connection.getLatestBlockhash("confirmed");
  const transferBytes = legacy(used, [payer], pay(1e9), createMemoInstruction("hello"));
  const failedBytes = legacy(used, [payer], pay(1e12));
  const transfer = await connection.sendRawTransaction(transferBytes, { skipPreflight: true });
  const failed = await connection.sendRawTransaction(failedBytes, { skipPreflight: true });
  const version1 = await connection.sendRawTransaction(
    await versionOneTransfer(payer, used, { to: receiver, lamports: 1e9 }),
    { skipPreflight: true },
  );

  const mint = generateKeypair();
  const token = getAssociatedTokenAddressSync(mint.publicKey, payer.publicKey);
  const made = await send(
    connection,
    [
      SystemProgram.createAccount({
        fromPubkey: payer.publicKey,
        newAccountPubkey: mint.publicKey,
        lamports: await connection.getMinimumBalanceForRentExemption(MINT_SIZE),
        space: MINT_SIZE,
        programId: TOKEN_PROGRAM_ID,
      }),
      createInitializeMint2Instruction(mint.publicKey, 6, payer.publicKey, null),
      createAssociatedTokenAccountInstruction(
        payer.publicKey,
        token,
        payer.publicKey,
        mint.publicKey,
      ),
      createMintToInstruction(mint.publicKey, token, payer.publicKey, 1_500_000n),
    ],
    [payer, mint],
  );

  const [createTable, table] = AddressLookupTableProgram.createLookupTable({
    authority: payer.publicKey,
    payer: payer.publicKey,
    recentSlot: await connection.getSlot("finalized"),
  });
  const extendTable = AddressLookupTableProgram.extendLookupTable({
    authority: payer.publicKey,
    payer: payer.publicKey,
    lookupTable: table,
    addresses: [receiver],
  });
  const extended = await send(connection, [createTable, extendTable], [payer]);
  await untilFinal(extended);
  const { value: tableAccount } = await connection.getAddressLookupTable(table);
  if (tableAccount === null) throw new Error("the lookup table is not there");
  const { blockhash: later } = await connection.getLatestBlockhash("confirmed");
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: later,
    instructions: [pay(1e9)],
  }).compileToV0Message([tableAccount]);
  const versioned = new VersionedTransaction(message);
  versioned.sign([payer]);
  const version0 = await connection.sendRawTransaction(versioned.serialize(), {
    preflightCommitment: "confirmed",
  });
  await untilFinal(version0);

  const history = { searchTransactionHistory: true };
  const { value: status } = await connection.getSignatureStatus(version0, history);
  return {
    payer,
    absent: generateKeypair().publicKey.toBase58(),
    mint: mint.publicKey.toBase58(),
    token: token.toBase58(),
    table: table.toBase58(),
    landed: { transfer, failed, token: made, version0, version1 },
    transferBytes,
    slot: status?.slot ?? 0,
    blockhash: (await connection.getLatestBlockhash("confirmed")).blockhash,
    finalBlockhash: (await connection.getLatestBlockhash("finalized")).blockhash,
  };
}

export function legacy(
  blockhash: string,
  signers: readonly [Keypair, ...Keypair[]],
  ...instructions: TransactionInstruction[]
): Uint8Array {
  const transaction = new Transaction({
    feePayer: signers[0].publicKey,
    blockhash,
    lastValidBlockHeight: 0,
  }).add(...instructions);
  transaction.sign(...signers);
  return transaction.serialize();
}
