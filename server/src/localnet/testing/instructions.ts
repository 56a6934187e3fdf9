import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { type Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { generateKeypair } from "../../base/native-keys.ts";
import { signed, type TestChain } from "./local-chain.ts";

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
