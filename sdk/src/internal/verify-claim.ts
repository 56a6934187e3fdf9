import { payoutOf, type TokenBalances } from "@tokenctl/shared/payout";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimReceipt } from "@tokenctl/shared/types";
import { ClaimReceiptError } from "../claim-errors.ts";
import { RpcError } from "../errors.ts";
import type { ClaimResult } from "../options.ts";
import { answer, list, orNull, shape, string } from "./answer.ts";
import { type Rpc, TRANSACTIONS } from "./rpc.ts";

interface Landed {
  meta: TokenBalances & { err?: unknown; preBalances: number[]; postBalances: number[] };
}

const tokenBalance = shape(
  {
    accountIndex: { type: "integer" },
    mint: string,
    owner: string,
    uiTokenAmount: shape({ amount: { type: "string", pattern: "^\\d{1,20}$" } }),
  },
  ["owner"],
);
const balances = list({ type: "integer" });
const tokenBalances = orNull(list(tokenBalance));
const meta = shape(
  {
    preBalances: balances,
    postBalances: balances,
    preTokenBalances: tokenBalances,
    postTokenBalances: tokenBalances,
  },
  ["preTokenBalances", "postTokenBalances"],
);
const landed = answer<Landed | null>(orNull(shape({ meta })));

export async function verifyClaim(
  rpc: Rpc,
  receipt: ClaimReceipt,
  agent: { readonly address: string; readonly signerIndex: number },
): Promise<ClaimResult> {
  const { meta } = await find(rpc, receipt);
  const { transactionHash } = receipt;
  if (meta.err != null) throw wrongReceipt(receipt, transactionHash, "it failed");
  const paid = lamportsToSol(payoutOf(meta, agent.address));
  if (paid !== receipt.claimedSOL) {
    const saw = `it paid ${paid} SOL instead of ${receipt.claimedSOL}`;
    throw wrongReceipt(receipt, transactionHash, saw);
  }
  // The signers are a transaction's first accounts.
  const { signerIndex: place } = agent;
  const gained = BigInt(meta.postBalances[place] ?? 0) - BigInt(meta.preBalances[place] ?? 0);
  return { ...receipt, verified: true, gainedSOL: lamportsToSol(gained) };
}

export function wrongReceipt(receipt: ClaimReceipt, transactionHash: string, saw: string) {
  const text = `The receipt of claim ${transactionHash} is wrong: ${saw}`;
  return new ClaimReceiptError("receipt_mismatch", text, {
    hint: "Make no more claims with this server; look the transaction up on the cluster",
    transactionHash,
    receipt,
  });
}

function find(rpc: Rpc, receipt: ClaimReceipt): Promise<Landed> {
  const { transactionHash } = receipt;
  const unverified = () =>
    new ClaimReceiptError(
      "claim_unverified",
      `The claim ${transactionHash} could not be verified: ${why}`,
      {
        hint: "It may have landed: look it up later on the server's cluster",
        transactionHash,
        receipt,
      },
    );
  let why = `${rpc.origin} does not know it`;
  return rpc.untilShown(
    () =>
      rpc
        .read("getTransaction", [transactionHash, TRANSACTIONS], landed)
        .catch((error: unknown) => {
          if (!(error instanceof RpcError)) throw error;
          why = error.message;
          if (error.isPermanent) throw unverified();
          return null;
        }),
    unverified,
  );
}
