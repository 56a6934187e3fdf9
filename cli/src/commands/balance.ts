import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { readNetwork } from "../network.ts";
import { orTooOld } from "../newer-server.ts";
import type { Result } from "../result.ts";

/** Shows what the wallet holds, as the server's chain knows it. */
export async function balance(context: Context): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the balance");
  const { signal } = context;
  const data = await orTooOld(client.balance({ signal }), "balances", () =>
    client.login({ signal }),
  );
  const network = await readNetwork(client, signal);
  if (data.balanceSOL > 0) return { kind: "balance", data, network };
  const how =
    network === "sandbox"
      ? "`tokenctl dev airdrop` gives it SOL of the sandbox"
      : `Send SOL to ${data.wallet}: claims take a network fee and rent up front`;
  return { kind: "balance", data, network, next: [how] };
}
