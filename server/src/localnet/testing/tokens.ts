import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { type Keypair, type PublicKey, SystemProgram } from "@solana/web3.js";
import { generateKeypair } from "../../base/native-keys.ts";
import { signed, type TestChain } from "./local-chain.ts";

/** A mint with 6 decimals. Its creator's associated token account holds the whole supply. */
export interface TestToken {
  readonly mint: PublicKey;
  readonly account: PublicKey;
  readonly signature: string;
}

/** @param programId SPL Token or Token-2022 */
export function createToken(
  { chain }: Pick<TestChain, "chain">,
  owner: Keypair,
  supply: bigint,
  programId = TOKEN_PROGRAM_ID,
): TestToken {
  const mint = generateKeypair();
  const account = getAssociatedTokenAddressSync(mint.publicKey, owner.publicKey, false, programId);
  const signature = chain.sendTransaction(
    signed(
      chain.latestBlockhash().blockhash,
      [owner, mint],
      SystemProgram.createAccount({
        fromPubkey: owner.publicKey,
        newAccountPubkey: mint.publicKey,
        lamports: Number(chain.rentExemption(MINT_SIZE)),
        space: MINT_SIZE,
        programId,
      }),
      createInitializeMint2Instruction(mint.publicKey, 6, owner.publicKey, null, programId),
      createAssociatedTokenAccountInstruction(
        owner.publicKey,
        account,
        owner.publicKey,
        mint.publicKey,
        programId,
      ),
      createMintToInstruction(mint.publicKey, account, owner.publicKey, supply, [], programId),
    ),
  );
  return { mint: mint.publicKey, account, signature };
}
