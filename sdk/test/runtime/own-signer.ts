// Compiled, never run: what a user with strict settings writes against the package's declarations.
import type { ClaimRecord, ClientOptions, LaunchStatus, Signer } from "@tokenctl/sdk";
import { ApiError, keypairSigner, TokenctlClient, TokenctlError } from "@tokenctl/sdk";

class RemoteSigner implements Signer {
  readonly publicKey = "11111111111111111111111111111111";

  async signMessage(message: Uint8Array): Promise<Uint8Array> {
    return message.slice(0, 64);
  }

  async signTransaction(transaction: Uint8Array): Promise<Uint8Array> {
    return transaction;
  }
}

const options: ClientOptions = { signer: new RemoteSigner(), fetch, maxRetries: 1 };
const client = new TokenctlClient(options);

export async function live(signal: AbortSignal): Promise<ClaimRecord[]> {
  const status: LaunchStatus = await client.waitForLaunch("id", {
    signal,
    onStatus: ({ status: name }) =>
      name satisfies "pending" | "success" | "failed" | "rate_limited",
  });
  if (status.tokenMint === null) throw new Error(status.error ?? "no reason");
  const receipt = await client.claim(status.tokenMint, { signal });
  const sol: number = receipt.claimedSOL;
  // @ts-expect-error a receipt has no such field
  receipt.lamports;
  // @ts-expect-error a launch needs a name
  await client.launch({ ticker: "WIF" });
  return sol > 0 ? (await client.claims({ limit: 5 })).claims : [];
}

export function explain(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.text} ${error.requestId ?? ""}`;
  return error instanceof TokenctlError ? `${error.code}: ${error.hint ?? error.message}` : "?";
}

keypairSigner({ secretKey: new Uint8Array(64) });
