import {
  appendTransactionMessageInstruction,
  createKeyPairFromBytes,
  createSignerFromKeyPair,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  blockhash as toBlockhash,
} from "@solana/kit";
import { type Keypair, PublicKey, SystemProgram } from "@solana/web3.js";

/** What {@link versionOneTransfer} requests. Without the first two, it would do nothing. */
export const REQUESTS = {
  computeUnitLimit: 1_000,
  loadedAccountsDataSizeLimit: 65_536,
  priorityFeeLamports: 7n,
} as const;

interface Transfer {
  readonly to?: PublicKey;
  readonly lamports?: number;
  readonly padding?: number;
}

/** Returns the signed bytes of a transfer in a version 1 transaction, made by kit. */
export async function versionOneTransfer(from: Keypair, blockhash: string, transfer?: Transfer) {
  const lifetime = { blockhash: toBlockhash(blockhash), lastValidBlockHeight: 0n };
  const signed = await signTransfer(from, lifetime, transfer);
  return Uint8Array.from(getTransactionEncoder().encode(signed));
}

async function signTransfer(
  from: Keypair,
  lifetime: Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0],
  { to = PublicKey.unique(), lamports = 5, padding = 0 }: Transfer = {},
) {
  const signer = await createSignerFromKeyPair(await createKeyPairFromBytes(from.secretKey));
  const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => setTransactionMessageConfig(REQUESTS, timed),
    (configured) =>
      appendTransactionMessageInstruction(
        {
          programAddress: transfer.programId.toBase58() as never,
          accounts: transfer.keys.map(({ pubkey, isSigner, isWritable }) => ({
            address: pubkey.toBase58() as never,
            role: ((isSigner ? 2 : 0) + (isWritable ? 1 : 0)) as never,
          })),
          // The system program ignores bytes after its instruction.
          data: Buffer.concat([transfer.data, Buffer.alloc(padding)]),
        },
        configured,
      ),
  );
  return signTransactionMessageWithSigners(message);
}
