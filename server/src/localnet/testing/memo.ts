import { PublicKey, TransactionInstruction } from "@solana/web3.js";

export function createMemoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
    keys: [],
    data: Buffer.from(text),
  });
}
