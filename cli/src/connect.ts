import { InvalidArgumentError, keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import type { Context } from "./context.ts";
import { UsageError } from "./errors.ts";
import { readKeypairFile } from "./keypair-file.ts";

/** @returns a client that acts for the wallet of the keypair file */
export async function connect(context: Context): Promise<TokenctlClient> {
  return createClient(context, await readKeypairFile(context));
}

/** @returns a client without a wallet, for what needs none */
export function connectWithoutWallet(context: Context): TokenctlClient {
  return createClient(context, undefined);
}

function createClient({ settings, notices }: Context, key: Uint8Array | undefined): TokenctlClient {
  try {
    return new TokenctlClient({
      apiUrl: settings.apiUrl,
      signer: key && keypairSigner(key),
      onRetry: ({ error, delayMs }) =>
        notices.progress(`${error.message}; trying again in ${(delayMs / 1000).toFixed(1)} s`),
    });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(
      error.message.replace("apiUrl", "The server's address"),
      "Give --api-url or TOKENCTL_API_URL an address such as http://127.0.0.1:8787",
    );
  }
}
