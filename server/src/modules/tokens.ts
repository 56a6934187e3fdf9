import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { TokenListSchema, TokenSchema } from "@tokenctl/shared/contract/token";
import { limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Token } from "@tokenctl/shared/types";
import { ServiceError } from "../base/service-error.ts";
import { endpoint } from "../http/endpoint.ts";
import { encodeCursor, PAGE, RECEIVED, WALLET } from "../http/parameters.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../launchpad/errors.ts";
import type { Store } from "../store/store.ts";
import type { ListedToken } from "../store/tokens.ts";

interface HandOvers {
  accept(wallet: string, mint: string): Promise<ListedToken>;
}

export function tokenEndpoints({ tokens }: Store, handOvers: HandOvers) {
  return [
    endpoint({
      route: "GET /api/v1/tokens/",
      id: "listTokens",
      summary: "List the agent's tokens",
      description:
        "Returns the tokens that the agent has launched, newest first: all of them, or pages of `limit`. With `received` it also returns those that other agents have handed over to it and that it has accepted.",
      tag: "Tokens",
      query: { ...PAGE, received: RECEIVED },
      answer: TokenListSchema,
      errors: [],
      async handle({ wallet, query: { limit, before, received } }) {
        const record = (row: ListedToken) => tokenRecord(row, wallet);
        const which = received ? "all" : "launched";
        const { rows, next } = await tokens.page(wallet, { limit, before }, which);
        return {
          tokens: rows.map(record),
          ...(next !== null && { nextCursor: encodeCursor(next) }),
        };
      },
    }),
    endpoint({
      route: "GET /api/v1/tokens/waiting",
      id: "listWaitingTokens",
      summary: "List the tokens that wait to be accepted",
      description:
        "Returns the tokens that other wallets have handed over to the agent and that it has not accepted: the newest 100. Anyone can hand over a token: a name or a ticker proves nothing.",
      tag: "Tokens",
      answer: TokenListSchema,
      errors: [],
      async handle({ wallet }) {
        const part = { limit: limits.waitingTokens.max, before: null };
        const { rows } = await tokens.page(wallet, part, "waiting");
        return { tokens: rows.map((row) => tokenRecord(row, wallet)) };
      },
    }),
    endpoint({
      route: "GET /api/v1/tokens/:mintAddress",
      id: "getToken",
      summary: "Read one token",
      description: "Returns a token that the agent has launched or received.",
      tag: "Tokens",
      answer: TokenSchema,
      errors: ["token_not_found"],
      async handle({ wallet, params }) {
        const row = await tokens.find(wallet, params.mintAddress);
        if (!row) throw new ServiceError("token_not_found");
        return tokenRecord(row, wallet);
      },
    }),
    endpoint({
      route: "POST /api/v1/tokens/received/:mintAddress",
      id: "acceptToken",
      summary: "Accept a token that was handed over",
      description:
        "Puts a token whose fees another wallet has given to the agent among the agent's received tokens. From then on it raises events. A claim of its fees accepts it too. Accepting it again changes nothing.",
      tag: "Tokens",
      answer: TokenSchema,
      errors: ["token_not_found", "chain_unavailable", "wrong_cluster"],
      async handle({ wallet, params: { mintAddress } }) {
        return tokenRecord(await handOvers.accept(wallet, mintAddress), wallet);
      },
    }),
  ];
}

/** @param reader the wallet that reads it: its launcher, or the holder of its fees */
function tokenRecord(row: ListedToken, reader: string): Token {
  const { heldBy, wallet = reader } = row;
  const token: Token = {
    poolAddress: row.poolAddress,
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    tokenName: row.name,
    isClaimed: row.claimedAt !== null,
    claimedAt: row.claimedAt === null ? null : new Date(row.claimedAt).toISOString(),
    claimedToAddress: row.claimedTo,
    deployedAt: new Date(row.deployedAt).toISOString(),
  };
  if (heldBy !== null && wallet !== reader) token.launchedBy = wallet;
  else if (heldBy !== null && heldBy !== reader) token.holder = heldBy;
  if (row.imageUrl !== null) token.imageUrl = row.imageUrl;
  return token;
}

export function walletEndpoint(chain: Launchpad) {
  return endpoint({
    route: "GET /api/v1/wallet",
    id: "getWallet",
    summary: "Read the SOL of a wallet",
    description: "Returns the current balance of the wallet that is signed in, or of another one.",
    tag: "Wallet",
    query: { wallet: WALLET },
    answer: WalletBalanceSchema,
    errors: ["chain_unavailable", "wrong_cluster"],
    async handle({ wallet: agent, query }) {
      const wallet = query.wallet ?? agent;
      const [balance = 0n] = await chain.readBalances([wallet]).catch(throwAsServiceError);
      return { wallet, balanceSOL: lamportsToSol(balance) };
    },
  });
}
