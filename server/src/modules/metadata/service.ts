import type { MetadataDocument } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { metadataDocument } from "../../store/metadata-document.ts";
import type { TokenStore } from "../../store/token-store.ts";

type Tokens = Pick<TokenStore, "metadata">;

/** The documents that the on-chain URIs of tokens point to. */
export class MetadataService {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /**
   * @returns the document of a mint, and whether it can change no more
   * @throws {ServiceError} 404 if no token has this mint
   */
  async get(mint: string): Promise<{ document: MetadataDocument; isFinal: boolean }> {
    const row = await this.#tokens.metadata(mint);
    if (!row) throw new ServiceError("token_not_found");
    return { document: metadataDocument(row), isFinal: row.isDeployed };
  }
}
