import { parseSol } from "@tokenctl/shared/sol";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orInterrupted } from "../interruption.ts";
import { enterNetwork } from "../network.ts";
import { afterClaims } from "../next-steps.ts";
import { resolveMint } from "../resolve-token.ts";
import type { Result } from "../result.ts";
import { ClaimBudget } from "./claim-budget.ts";

/** The flags of `claim` and `claim --all`. */
export interface ClaimFlags {
  /** SOL in plain digits. */
  readonly maxTotalFeeSol: string;
  readonly sandbox?: boolean;
}

/**
 * Claims all fees of one token.
 *
 * @param token its mint or its ticker
 */
export async function claim(context: Context, token: string, flags: ClaimFlags): Promise<Result> {
  const client = await connect(context, { allowSandboxClaims: flags.sandbox });
  const mint = await resolveMint(client, token, context.signal);
  const network = await enterNetwork(context, client);
  const budget = new ClaimBudget(parseSol(flags.maxTotalFeeSol));
  context.notices.progress("Claiming");
  const { success, ...data } = await orInterrupted(
    client.claim(mint, { signal: context.signal, approve: (cost) => budget.spend(cost) }),
    "The claim may still land: `tokenctl fees` shows what is left",
  );
  return {
    kind: "claim",
    data: { tokenMint: mint, ...data },
    next: afterClaims(network, [data.transactionHash]),
  };
}
