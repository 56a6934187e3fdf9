import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { endpoint } from "../http/endpoint.ts";
import { WALLET } from "../http/parameters.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../launchpad/errors.ts";

export function walletEndpoints(chain: Pick<Launchpad, "readBalances">) {
  return [
    endpoint({
      route: "GET /api/v1/wallet",
      id: "getWallet",
      summary: "Read the SOL of a wallet",
      description:
        "Returns the balance of the wallet that is signed in, or of another one, as the chain has it now.",
      tag: "Wallet",
      query: { wallet: WALLET },
      answer: WalletBalanceSchema,
      errors: ["chain_unavailable", "wrong_cluster"],
      async handle({ wallet: agent, query }) {
        const wallet = query.wallet ?? agent;
        const [balance = 0n] = await chain.readBalances([wallet]).catch(throwAsServiceError);
        return { wallet, balanceSOL: lamportsToSol(balance) };
      },
    }),
  ];
}
