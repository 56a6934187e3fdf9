import { MINT_SIZE } from "@solana/spl-token";
import {
  type Connection,
  type Keypair,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { generateKeypair } from "../../../server/src/base/native-keys.ts";
import { send } from "../../../server/src/launchpad/meteora/testing/send.ts";
import {
  createMemoInstruction,
  tokenOf,
} from "../../../server/src/localnet/testing/instructions.ts";
import { signed } from "../../../server/src/localnet/testing/local-chain.ts";
import { versionOneTransfer } from "../../../server/src/localnet/testing/version-1.ts";

export interface Scene {
  readonly payer: Keypair;
  readonly absent: string;
  readonly mint: string;
  readonly token: string;
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
  const transferBytes = signed(used, [payer], pay(1e9), createMemoInstruction("hello"));
  const failedBytes = signed(used, [payer], pay(1e12));
  const transfer = await connection.sendRawTransaction(transferBytes, { skipPreflight: true });
  const failed = await connection.sendRawTransaction(failedBytes, { skipPreflight: true });
  const version1 = await connection.sendRawTransaction(
    await versionOneTransfer(payer, used, { to: receiver, lamports: 1e9 }),
    { skipPreflight: true },
  );

  const rent = await connection.getMinimumBalanceForRentExemption(MINT_SIZE);
  const token = tokenOf(payer.publicKey, { supply: 1_500_000n, rent });
  const made = await send(connection, token.instructions, [payer, token.mint]);

  await untilFinal(made);
  const { blockhash: latest } = await connection.getLatestBlockhash("confirmed");
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: latest,
    instructions: [pay(2e9)],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  const version0 = await connection.sendRawTransaction(transaction.serialize(), {
    preflightCommitment: "confirmed",
  });
  await untilFinal(version0);

  const history = { searchTransactionHistory: true };
  const { value: status } = await connection.getSignatureStatus(version0, history);
  return {
    payer,
    absent: generateKeypair().publicKey.toBase58(),
    mint: token.mint.publicKey.toBase58(),
    token: token.account.toBase58(),
    landed: { transfer, failed, token: made, version0, version1 },
    transferBytes,
    slot: status?.slot ?? 0,
    blockhash: (await connection.getLatestBlockhash("confirmed")).blockhash,
    finalBlockhash: (await connection.getLatestBlockhash("finalized")).blockhash,
  };
}
