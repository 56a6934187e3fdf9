import { PublicKey, TransactionInstruction } from "@solana/web3.js";

/** An instruction of the memo program that writes a text into the log. */
export function createMemoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
    keys: [],
    data: Buffer.from(text),
  });
}
