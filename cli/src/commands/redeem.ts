import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/** Redeems an invite for the wallet. */
export async function redeem(context: Context, code: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Redeeming the invite");
  const data = await client.redeemInvite(code, { signal: context.signal });
  return { kind: "redeemed", data: { wallet: client.address, ...data } };
}
