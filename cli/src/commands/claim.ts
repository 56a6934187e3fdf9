import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orInterrupted } from "../interruption.ts";
import type { Result } from "../result.ts";

/** Claims all fees of one token. */
export async function claim(context: Context, mint: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Claiming");
  const { claimedSOL, transactionHash } = await orInterrupted(
    client.claim(mint, { signal: context.signal }),
    "The claim may still land: `tokenctl fees` shows what is left",
  );
  return { kind: "claim", data: { tokenMint: mint, claimedSOL, transactionHash } };
}
