import { ServiceError } from "../../base/service-error.ts";
import { isSettling } from "../../domain/settling.ts";
import { toServiceError } from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";
import type { Store } from "../../store/store.ts";
import type { TokenRow } from "../../store/tokens.ts";

export interface OwnTokenDeps {
  readonly store: Pick<Store, "tokens" | "handOvers" | "clock">;
  readonly chain: Pick<Launchpad, "readCreators">;
}

/**
 * Finds a token whose fees a wallet may claim or hand over: one that it has launched or had, or that it has
 * by what the chain says. Whether the fees are still its own, the chain decides when a transaction is built.
 *
 * @throws {ServiceError} 404 if it is none of these, 503 if the chain cannot be read
 */
export async function ownToken(
  deps: OwnTokenDeps,
  wallet: string,
  mint: string,
): Promise<TokenRow> {
  const { tokens, handOvers } = deps.store;
  const token = await tokens.findAny(mint);
  const isOwn =
    token !== null &&
    (token.wallet === wallet ||
      token.holder === wallet ||
      (await handOvers.hadToken(wallet, mint)) ||
      (await isHeldBy(deps, token, wallet)));
  if (!isOwn) throw new ServiceError("token_not_found");
  return token;
}

/**
 * Whether the chain says that a wallet has a token's fees. If it does, that is recorded, unless another wallet
 * has just got it.
 */
export async function isHeldBy(
  { store, chain }: OwnTokenDeps,
  token: TokenRow,
  wallet: string,
): Promise<boolean> {
  const { tokenMint, holder, heldSince } = token;
  if (isSettling(heldSince, store.clock.now())) return false;
  const [creator] = await chain.readCreators([token]).catch((fault) => {
    throw toServiceError(fault);
  });
  if (creator !== wallet) return false;
  await store.handOvers.found({ tokenMint, known: holder ?? token.wallet, actual: wallet });
  return true;
}
