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
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { generateKeypair } from "../../base/native-keys.ts";
import { SOL, signed, type TestChain } from "./local-chain.ts";

export function createMemoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
    keys: [],
    data: Buffer.from(text),
  });
}

/**
 * Makes a mint with 6 decimals. Its creator's associated token account holds the whole supply.
 *
 * @param rent of a mint, in lamports
 * @param programId SPL Token or Token-2022
 */
export function tokenOf(
  owner: PublicKey,
  { supply, rent }: { readonly supply: bigint; readonly rent: number },
  programId = TOKEN_PROGRAM_ID,
) {
  const mint = generateKeypair();
  const key = mint.publicKey;
  const account = getAssociatedTokenAddressSync(key, owner, false, programId);
  const instructions = [
    SystemProgram.createAccount({
      fromPubkey: owner,
      newAccountPubkey: key,
      lamports: rent,
      space: MINT_SIZE,
      programId,
    }),
    createInitializeMint2Instruction(key, 6, owner, null, programId),
    createAssociatedTokenAccountInstruction(owner, account, owner, key, programId),
    createMintToInstruction(key, account, owner, supply, [], programId),
  ];
  return { mint, account, instructions };
}

export function createToken(
  { chain }: Pick<TestChain, "chain">,
  owner: Keypair,
  supply: bigint,
  programId = TOKEN_PROGRAM_ID,
) {
  const rent = Number(chain.rentExemption(MINT_SIZE));
  const { mint, account, instructions } = tokenOf(owner.publicKey, { supply, rent }, programId);
  const { blockhash } = chain.latestBlockhash();
  const signature = chain.sendTransaction(signed(blockhash, [owner, mint], ...instructions));
  return { mint: mint.publicKey, account, signature };
}

/** Makes a lookup table, which can be created in a slot after `recentSlot`. */
export function tableOf(payer: PublicKey, recentSlot: number, addresses: PublicKey[]) {
  const by = { authority: payer, payer };
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({ ...by, recentSlot });
  const extend = AddressLookupTableProgram.extendLookupTable({ ...by, lookupTable, addresses });
  return { table: lookupTable, instructions: [create, extend] };
}

/** Creates a lookup table with its program, in the slot after the one that the table names. */
export function createTable(
  { chain, clock }: TestChain,
  payer: Keypair,
  addresses: PublicKey[],
): PublicKey {
  const { table, instructions } = tableOf(payer.publicKey, chain.slot(), addresses);
  clock.advanceSlots(1);
  chain.sendTransaction(signed(chain.latestBlockhash().blockhash, [payer], ...instructions));
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
