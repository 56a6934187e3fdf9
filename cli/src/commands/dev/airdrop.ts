import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import type { Result } from "../../result.ts";

/** Gives a wallet SOL on a sandbox server. */
export async function airdrop(
  context: Context,
  wallet: string | undefined,
  options: { sol: string },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Airdropping ${options.sol} SOL`);
  const data = await client.dev.airdrop({ sol: options.sol, wallet }, { signal: context.signal });
  return { kind: "airdrop", data };
}
