import { ServiceError } from "../../base/service-error.ts";
import type { TokenStore } from "../../store/token-store.ts";

/** A token's off-chain document, in the shape of the Metaplex Token Metadata standard. */
export interface MetadataDocument {
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image: string;
}

type Tokens = Pick<TokenStore, "metadata">;

/** The documents that the on-chain URIs of tokens point to. */
export class MetadataService {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** @throws {ServiceError} 404 if no token has this mint */
  async get(mint: string): Promise<MetadataDocument> {
    const row = await this.#tokens.metadata(mint);
    if (!row) throw new ServiceError("token_not_found");
    return {
      name: row.name,
      symbol: row.ticker,
      description: row.description ?? "",
      image: row.imageUrl ?? "",
    };
  }
}
