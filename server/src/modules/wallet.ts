import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { WalletBalance } from "@tokenctl/shared/types";
import { endpoint } from "../http/endpoint.ts";
import { WALLET } from "../http/parameters.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../launchpad/errors.ts";

type Chain = Pick<Launchpad, "readBalances">;

export async function walletBalance(chain: Chain, wallet: string): Promise<WalletBalance> {
  const [balance = 0n] = await chain.readBalances([wallet]).catch(throwAsServiceError);
  return { wallet, balanceSOL: lamportsToSol(balance) };
}

export function walletEndpoints(chain: Chain) {
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
      handle: ({ wallet, query }) => walletBalance(chain, query.wallet ?? wallet),
    }),
  ];
}
