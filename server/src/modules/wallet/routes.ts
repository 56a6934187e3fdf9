import { WalletBalanceSchema } from "@tokenctl/shared/response-schemas";
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { operation } from "../../http/openapi.ts";
import type { WalletService } from "./service.ts";

export function walletRoutes(wallets: WalletService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1" }).use(bearer).get(
    "/wallet",
    ({ wallet }) => wallets.balance(wallet),
    operation({
      id: "getWallet",
      summary: "Read the SOL of the agent's wallet",
      description: "Returns the balance of the wallet that is signed in, as the chain has it now.",
      tag: "Wallet",
      answer: WalletBalanceSchema,
      errors: ["chain_unavailable", "wrong_cluster"],
    }),
  );
}
