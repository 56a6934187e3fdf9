import type { PublicToken } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { TokenStore } from "../../store/token-store.ts";

type Tokens = Pick<TokenStore, "origin">;

/** What anyone may read about a token: all of it is on chain too. */
export class PublicTokenService {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** @throws {ServiceError} 404 if this service has launched no token with this mint */
  async get(mint: string): Promise<PublicToken> {
    const origin = await this.#tokens.origin(mint);
    if (!origin) throw new ServiceError("token_not_found");
    const { token, poolTerms, signature } = origin;
    return {
      tokenMint: token.tokenMint,
      poolAddress: token.poolAddress,
      ticker: token.ticker,
      tokenName: token.name,
      creator: token.wallet,
      config: poolTerms?.config ?? null,
      fees: poolTerms?.fees ?? null,
      launchTransaction: signature,
      deployedAt: new Date(token.deployedAt).toISOString(),
    };
  }
}
