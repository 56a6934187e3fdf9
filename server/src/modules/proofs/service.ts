import { type FetchLike, verifyToken } from "@tokenctl/sdk";
import type { CheckedProof, TokenProof } from "@tokenctl/shared/types";
import { BoundedMap } from "../../base/cache.ts";
import { ServiceError } from "../../base/service-error.ts";
import { clientOf, type SharePercents, sharesOf, TimedShares } from "../../domain/shares.ts";
import { requirePlace } from "../../http/admit.ts";
import type { Store } from "../../store/store.ts";
import { metadataDocument, type Tokens, type TokenWithLaunch } from "../../store/tokens.ts";

/** How long a proof counts as new, and when a failed check may be repeated, in milliseconds. */
const NEW_MS = 5 * 60_000;
const FAILURE_KEPT_MS = 15_000;
const MOST_KEPT = 2_000;
/**
 * How long a check holds its place at least, in milliseconds; then the most checks in that time, in
 * all and for one address. Each takes up to ten RPC requests.
 */
const HOLD_MS = 30_000;
const MOST = 20;
const MOST_OF_ADDRESS = 2;

interface Check {
  readonly proof: Promise<CheckedProof>;
  /** `Infinity` until the proof is known, then when it stops counting as new. */
  endsAt: number;
}

/**
 * Checks each token once at a time, for every client that asks. A client holds a place for half a
 * minute, so that it cannot make the service send more RPC requests, nor block others for long.
 */
export class TokenProofs {
  readonly #checks = new BoundedMap<string, Check>(MOST_KEPT);
  readonly #places: TimedShares;

  constructor(
    private readonly store: Store,
    private readonly verify: (token: TokenWithLaunch) => Promise<TokenProof>,
    shares: SharePercents,
  ) {
    const places = sharesOf(MOST, MOST_OF_ADDRESS, shares);
    this.#places = new TimedShares(places, () => store.clock.elapsed());
  }

  /** @throws {ServiceError} 404, 429 if too many are checked, 503 */
  async read(mint: string, address: string | null): Promise<CheckedProof> {
    const { store } = this;
    const token = await store.tokens.withLaunch(mint);
    if (!token) throw new ServiceError("token_not_found");
    const now = store.clock.elapsed();
    const last = this.#checks.get(mint);
    if (last && last.endsAt > now) return last.proof;
    const taken = this.#places.take(clientOf(undefined, address), Number.POSITIVE_INFINITY);
    const place = requirePlace(taken, HOLD_MS / 1_000);
    const check: Check = { proof: this.#check(token), endsAt: Number.POSITIVE_INFINITY };
    this.#checks.set(mint, check);
    const keep = (milliseconds: number) => {
      check.endsAt = store.clock.elapsed() + milliseconds;
      place.endsAt = Math.max(now + HOLD_MS, store.clock.elapsed());
    };
    check.proof.then(
      () => keep(NEW_MS),
      () => keep(FAILURE_KEPT_MS),
    );
    return check.proof;
  }

  async #check(token: TokenWithLaunch): Promise<CheckedProof> {
    const checkedAt = new Date(this.store.clock.now()).toISOString();
    try {
      return { checkedAt, proof: await this.verify(token) };
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError("chain_unavailable", {
        text: "The chain does not answer what is asked of the token",
        retryAfterSeconds: FAILURE_KEPT_MS / 1_000,
        cause,
      });
    }
  }
}

/** Stands for the RPC in the client's code: the service makes the requests. */
const NODE = "https://node.invalid/";
const TIMEOUT_MS = 20_000;

interface VerifierDeps {
  readonly askRpc: (method: string, params: readonly unknown[]) => Promise<unknown>;
  readonly tokens: Pick<Tokens, "metadata">;
  /** The URL of the service's own documents; null if another server has them. */
  readonly ownUrl: string | null;
}

/**
 * Verifies a token with the client's own code, over the service's RPC. Reads only this service's
 * metadata documents: it sends no request to an address that a token names.
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
