import type { ClientOptions, Signer } from "@tokenctl/sdk";
import { InvalidArgumentError, TokenctlClient } from "@tokenctl/sdk";
import type { Context } from "./context.ts";
import { CliError, exitCodes, UsageError } from "./errors.ts";
import { readSigner } from "./keypair-file.ts";

export async function connect(
  context: Pick<Context, "settings" | "notices">,
  options: Pick<ClientOptions, "allowSandboxClaims"> = {},
): Promise<TokenctlClient> {
  return createClient(context, await readSigner(context), options);
}

const RPC_HINT = "Set --rpc-url or TOKENCTL_RPC_URL to a Solana node's address, or omit both";
const API_HINT = "Set --api-url or TOKENCTL_API_URL to an address such as http://127.0.0.1:8787";

export function connectWithoutWallet(context: Context): TokenctlClient {
  return createClient(context, undefined);
}

function createClient(
  { settings, notices }: Pick<Context, "settings" | "notices">,
  signer: Signer | undefined,
  options: ClientOptions = {},
): TokenctlClient {
  try {
    const client = new TokenctlClient({
      ...options,
      apiUrl: settings.apiUrl,
      rpcUrl: settings.rpcUrl,
      allowNonceWithoutHost: settings.allowNonceWithoutHost,
      signer,
      onRetry: ({ error, delayMs }) =>
        notices.progress(`${error.message}; retrying in ${(delayMs / 1000).toFixed(1)} s`),
    });
    // So that every command says which server it waits for.
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

/** Waits for a change. @param hint how to find out whether it was made, if Ctrl-C interrupts it */
export async function orInterrupted<T>(request: Promise<T>, hint: string): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === "AbortError")) throw cause;
    throw new CliError("aborted", "Interrupted before the server answered", {
      hint,
      exitCode: exitCodes.interrupted,
      cause,
    });
  }
}
