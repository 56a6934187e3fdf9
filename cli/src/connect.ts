import type { Signer } from "@tokenctl/sdk";
import { InvalidArgumentError, TokenctlClient } from "@tokenctl/sdk";
import type { Desk } from "./desk.ts";
import { UsageError } from "./errors.ts";
import { proxiedFetch } from "./proxy.ts";

const RPC_HINT = "Set --rpc-url or TOKENCTL_RPC_URL to a Solana node's address, or omit both";
const API_HINT = "Set --api-url or TOKENCTL_API_URL to an address such as http://127.0.0.1:8787";

/** @param signer the wallet, for calls that sign in. @throws {UsageError} if a URL is invalid */
export function connect(
  { env, settings, notices }: Pick<Desk, "env" | "settings" | "notices">,
  signer?: Signer,
): TokenctlClient {
  const { apiUrl, rpcUrl, allowNonceWithoutHost } = settings;
  try {
    const client = new TokenctlClient({
      ...{ apiUrl, rpcUrl, allowNonceWithoutHost, signer, fetch: proxiedFetch(env) },
      onRetry: ({ error, delayMs }) =>
        notices.progress(`${error.message}; retrying in ${(delayMs / 1000).toFixed(1)} s`),
    });
    // Every command shows which server it waits for.
    notices.progress(`Contacting ${client.apiUrl}`);
    return client;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const [message, hint] = error.message.startsWith("rpcUrl")
      ? [error.message.replace("rpcUrl", "The RPC's address"), RPC_HINT]
      : [error.message.replace("apiUrl", "The server's address"), API_HINT];
    throw new UsageError(message, hint);
  }
}
