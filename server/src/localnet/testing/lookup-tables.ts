import {
  AddressLookupTableProgram,
  type Connection,
  type Keypair,
  type PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { SOL, signed, type TestChain } from "./local-chain.ts";

/** Creates a lookup table with its program, in the slot after the one that the table names. */
export async function createTable(
  { chain, clock }: TestChain,
  payer: Keypair,
  addresses: PublicKey[],
): Promise<PublicKey> {
  const recentSlot = chain.slot();
  clock.advanceSlots(1);
  const authority = payer.publicKey;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: payer.publicKey,
    recentSlot,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    authority,
    payer: payer.publicKey,
    lookupTable: table,
    addresses,
  });
  chain.sendTransaction(signed(chain.latestBlockhash().blockhash, [payer], create, extend));
  return table;
}

/** Returns the signed bytes of a transfer of 1 SOL to an address in a lookup table. */
export async function tableTransfer(
  connection: Connection,
  payer: Keypair,
  table: PublicKey,
  to: PublicKey,
): Promise<Uint8Array> {
  const { value } = await connection.getAddressLookupTable(table);
  if (value === null) throw new Error("the lookup table is not there");
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL }),
    ],
  }).compileToV0Message([value]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return transaction.serialize();
}
