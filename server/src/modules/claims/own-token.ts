import { ServiceError } from "../../base/service-error.ts";
import { isSettling } from "../../domain/token.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";
import type { Store } from "../../store/store.ts";
import type { TokenRow } from "../../store/tokens.ts";

export interface OwnTokenDeps {
  readonly store: Pick<Store, "tokens" | "handOvers" | "clock">;
  readonly chain: Pick<Launchpad, "readCreators">;
}

/**
 * Finds tokens whose fees a wallet may claim or hand over: those that it has launched or had, or
 * that it has by what the chain says, which is asked once for all of them. Whether the fees are
 * still its own, the chain decides when a transaction is built. @throws {ServiceError} 404, 503
 */
export async function ownTokens(
  deps: OwnTokenDeps,
  wallet: string,
  mints: readonly string[],
): Promise<TokenRow[]> {
  const { tokens, handOvers } = deps.store;
  const found = await Promise.all(mints.map((mint) => tokens.findAny(mint)));
  const known = found.filter((token) => token !== null);
  const others: TokenRow[] = [];
  for (const token of known) {
    const isOwn =
      token.wallet === wallet ||
      token.holder === wallet ||
      (await handOvers.hadToken(wallet, token.tokenMint));
    if (!isOwn) others.push(token);
  }
  if (known.length < found.length || !(await areHeldBy(deps, others, wallet))) {
    throw new ServiceError("token_not_found");
  }
  return known;
}

/**
 * Whether the chain says that a wallet has the fees of these tokens. If it does, that is recorded, unless another
 * wallet has just got them.
 */
export async function areHeldBy(
  { store, chain }: OwnTokenDeps,
  tokens: readonly TokenRow[],
  wallet: string,
): Promise<boolean> {
  if (tokens.length === 0) return true;
  if (tokens.some(({ heldSince }) => isSettling(heldSince, store.clock.now()))) return false;
  const creators = await chain.readCreators(tokens).catch(throwAsServiceError);
  if (!tokens.every((_, index) => creators[index] === wallet)) return false;
  for (const { tokenMint, holder, wallet: launcher } of tokens) {
    await store.handOvers.found({ tokenMint, known: holder ?? launcher, actual: wallet });
  }
  return true;
}
