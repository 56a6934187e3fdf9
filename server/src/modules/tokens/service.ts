import type { Token, TokenList } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { encodeCursor, type PageRequest } from "../../http/paging.ts";
import type { ListedToken, TokenStore } from "../../store/token-store.ts";

type Tokens = Pick<TokenStore, "list" | "page" | "find">;

/** Lists and reads an agent's tokens. */
export class TokenService {
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  async list(wallet: string, page: PageRequest): Promise<TokenList> {
    if (page.limit === null) return { tokens: (await this.#tokens.list(wallet)).map(toToken) };
    const { rows, next } = await this.#tokens.page(wallet, page.limit, page.before);
    return {
      tokens: rows.map(toToken),
      ...(next !== null && { nextCursor: encodeCursor(next) }),
    };
  }

  /** @throws {ServiceError} 404 if this wallet has no such token */
  async get(wallet: string, mint: string): Promise<Token> {
    const row = await this.#tokens.find(wallet, mint);
    if (!row) throw new ServiceError("token_not_found");
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
