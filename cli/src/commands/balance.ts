import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { readNetwork } from "../network.ts";
import { orTooOld } from "../newer-server.ts";
import type { Result } from "../result.ts";

/**
 * Shows what a wallet holds, as the server's chain knows it.
 *
 * @param address of another wallet than that of `--keypair`
 */
export async function balance(context: Context, address?: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the balance");
  const { signal } = context;
  const data = await orTooOld(client.balance({ wallet: address, signal }), "balances", () =>
    client.login({ signal }),
  );
  const network = await readNetwork(client, signal);
  if (data.balanceSOL > 0) return { kind: "balance", data, network };
  const how =
    network === "sandbox"
      ? `\`tokenctl dev airdrop${address === undefined ? "" : ` ${address}`}\` gives it SOL of the sandbox`
      : `Send SOL to ${data.wallet}: claims take a network fee and rent up front`;
  return { kind: "balance", data, network, next: [how] };
}
