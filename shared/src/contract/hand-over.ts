import { signedTransaction, transactionVersion } from "./request-text.ts";
import * as t from "./values.ts";

export const HandOverRequestSchema = t.fields({
  to: t.optional(
    t.address(
      "Step 1: the wallet that gets the token's fees, base58",
      "must be the base58 address of another wallet",
    ),
  ),
  transactionVersion,
  signedTransaction,
});

export const PreparedHandOverSchema = t.object(
  "Hand-over, step 1: an unsigned transaction. The agent is its only signer and fee payer",
  {
    success: t.success,
    transaction: t.transaction,
    expiresInSeconds: t.expiresInSeconds,
    networkFeeSOL: t.sol("What the transaction costs in network fees, in SOL"),
    rentSOL: t.sol(
      "What the agent pays for the receiver's account for the position's NFT, in SOL; 0 before migration",
    ),
  },
);

export const HandOverReceiptSchema = t.object("Hand-over, step 2: the confirmed transaction", {
  success: t.success,
  transactionHash: t.transactionHash,
  to: t.address("The wallet that has the token's fees now"),
});
