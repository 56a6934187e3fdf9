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
      summary: "Read the SOL of the agent's wallet",
      tag: "Wallet",
      answer: WalletBalanceSchema,
      errors: ["chain_unavailable", "wrong_cluster"],
    }),
  );
}
