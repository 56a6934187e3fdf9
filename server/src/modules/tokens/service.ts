import { errorTexts } from "@tokenctl/shared/errors";
import type { Token, TokenList } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { encodeCursor, type PageRequest } from "../../http/paging.ts";
import type { ListedToken, TokenStore } from "../../store/tokens.ts";

/** The tokens of an agent. */
export class TokenService {
  readonly #store: TokenStore;

  constructor(store: TokenStore) {
    this.#store = store;
  }

  list(wallet: string, page: PageRequest): TokenList {
    if (page.limit === null) return { tokens: this.#store.list(wallet).map(toToken) };
    const { rows, next } = this.#store.page(wallet, page.limit, page.before);
    return {
      tokens: rows.map(toToken),
      ...(next !== null && { nextCursor: encodeCursor(next) }),
    };
  }

  /** @throws {ServiceError} 404 where this wallet has no such token */
  get(wallet: string, mint: string): Token {
    const row = this.#store.find(wallet, mint);
    if (!row) throw new ServiceError("not_found", errorTexts.tokenNotFound);
    return toToken(row);
  }
}

function toToken(row: ListedToken): Token {
  return {
    poolAddress: row.poolAddress,
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    tokenName: row.name,
    isClaimed: row.claimedAt !== null,
    claimedAt: row.claimedAt === null ? null : new Date(row.claimedAt).toISOString(),
    claimedToAddress: row.claimedTo,
    deployedAt: new Date(row.deployedAt).toISOString(),
  };
}
