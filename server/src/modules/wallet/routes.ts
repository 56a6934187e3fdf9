import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { Elysia } from "elysia";
import { decodeAddress } from "../../base/base58.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { operation } from "../../http/openapi.ts";
import { validationError } from "../../http/validation.ts";
import type { WalletService } from "./service.ts";

/** @throws {ServiceError} 400 if it is no address */
function walletOf({ wallet }: Record<string, string | undefined>): string | undefined {
  if (wallet === undefined || decodeAddress(wallet)) return wallet;
  throw validationError([{ field: "wallet", message: "must be a base58 wallet address" }]);
}

export function walletRoutes(wallets: WalletService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1" }).use(bearer).get(
    "/wallet",
    ({ wallet, query }) => wallets.balance(walletOf(query) ?? wallet),
    operation({
      id: "getWallet",
      summary: "Read the SOL of a wallet",
      description:
        "Returns the balance of the wallet that is signed in, or of another one, as the chain has it now.",
      tag: "Wallet",
      query: ["wallet"],
      answer: WalletBalanceSchema,
      errors: ["chain_unavailable", "wrong_cluster"],
    }),
  );
}
