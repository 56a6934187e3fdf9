import { type FetchLike, verifyToken } from "@tokenctl/sdk";
import type { TokenProof } from "@tokenctl/shared/types";
import { metadataDocument } from "../../store/metadata-document.ts";
import type { Tokens, TokenWithLaunch } from "../../store/tokens.ts";

/** Names the RPC for the client's code: requests to it are made by the service. */
const NODE = "https://node.invalid/";
const TIMEOUT_MS = 20_000;

interface VerifierDeps {
  readonly askRpc: (method: string, params: readonly unknown[]) => Promise<unknown>;
  readonly tokens: Pick<Tokens, "metadata">;
  /** Under which the service's own documents are read; null if another server has them. */
  readonly ownUrl: string | null;
}

/**
 * Verifies tokens by the client's own code, over the service's RPC. Of metadata documents it reads only those
 * that the service itself serves: it sends no request to an address that a token names.
 */
export function tokenVerifier({ askRpc, tokens, ownUrl }: VerifierDeps) {
  const documents = ownUrl && `${ownUrl.replace(/\/+$/, "")}/metadata/`;
  return async ({ tokenMint, poolAddress, poolTerms }: TokenWithLaunch): Promise<TokenProof> => {
    // Read first: a database that does not answer says nothing about the document.
    const metadata = documents && (await tokens.metadata(tokenMint));
    const document = documents && `${documents}${tokenMint}.json`;
    const fetch: FetchLike = async (url, { body, signal }) => {
      if (url === NODE) {
        const { method, params } = JSON.parse(String(body));
        const ended = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => ended.reject(signal.reason));
        return Response.json({
          result: await Promise.race([askRpc(method, params), ended.promise]),
        });
      }
      return metadata
        ? Response.json(metadataDocument(metadata))
        : new Response("", { status: 404 });
    };
    return verifyToken(tokenMint, {
      rpcUrl: NODE,
      config: poolTerms?.config ?? undefined,
      pool: poolAddress,
      mayRead: (url) => url === document,
      timeoutMs: TIMEOUT_MS,
      fetch,
    });
  };
}
