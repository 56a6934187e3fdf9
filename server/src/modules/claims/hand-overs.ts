import { limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { HandOverReceipt, HandOverRequest, PreparedHandOver } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { ServiceError } from "../../base/service-error.ts";
import { isSettling } from "../../domain/token.ts";
import { validationError } from "../../http/body.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import type { PreparedRow } from "../../store/prepared.ts";
import type { Store } from "../../store/store.ts";
import type { ListedToken, TokenRow } from "../../store/tokens.ts";
import type { SigningService } from "../signing/service.ts";

export interface HandOverDeps {
  readonly store: Pick<Store, "tokens" | "handOvers" | "clock">;
  readonly chain: Pick<Launchpad, "readCreators">;
  readonly signing: SigningService;
}

export class HandOverService {
  constructor(private readonly deps: HandOverDeps) {}

  /**
   * Step 1: builds the transaction for the agent to sign.
   * @throws {ServiceError} 404, 409, 502 if it cannot be built, 503 if the chain cannot be reached
   */
  async prepare(
    wallet: string,
    mint: string,
    { to, force = false, transactionVersion }: HandOverRequest & { readonly to: string },
  ): Promise<PreparedHandOver> {
    const { store, signing } = this.deps;
    if (decodeAddress(to) === null || to === wallet) {
      const message = "must be the base58 address of another wallet";
      throw validationError([{ field: "to", message }]);
    }
    const [token] = (await ownTokens(this.deps, wallet, [mint])) as [TokenRow];
    if ((await store.handOvers.countWaiting(to)) >= limits.waitingTokens.max) {
      throw new ServiceError("receiver_full");
    }
    const built = await signing.chain
      .buildHandOver({ agent: wallet, token, to, force, transactionVersion })
      .catch(throwAsServiceError);
    const what = { kind: "hand_over", wallet, tokenMint: mint, handedTo: to } as const;
    return {
      ...(await signing.handOut(what, built)),
      networkFeeSOL: lamportsToSol(built.networkFee),
      rentSOL: lamportsToSol(built.rent),
    };
  }

  /**
   * Step 2: sends the signed transaction and returns when it is confirmed. The same transaction
   * again gets the first answer, or waits for it. @throws {ServiceError} 400, 409, 502, 503 if the
   * outcome is not known yet
   */
  async submit(wallet: string, mint: string, signedTransaction: string): Promise<HandOverReceipt> {
    const { signing } = this.deps;
    const about = { kind: "hand_over", wallet } as const;
    const isIt = ({ tokenMint }: PreparedRow) => tokenMint === mint;
    const accepted = await signing.accept(about, signedTransaction, isIt);
    const landed = await signing.sendAndWait(accepted);
    if (landed === null) throw new ServiceError("hand_over_unsettled", { retryAfterSeconds: 5 });
    return { success: true, transactionHash: landed.signature, to: accepted.row.handedTo ?? "" };
  }

  /** Puts a token that the wallet was given among its own. @throws {ServiceError} 404, 503 */
  async accept(wallet: string, mint: string): Promise<ListedToken> {
    const { tokens, handOvers } = this.deps.store;
    const known = await tokens.findAny(mint);
    const isTheirs =
      known !== null &&
      ((known.holder ?? known.wallet) === wallet || (await areHeldBy(this.deps, [known], wallet)));
    if (isTheirs) await handOvers.accept(wallet, mint);
    const token = isTheirs ? await tokens.find(wallet, mint) : null;
    if (!token) throw new ServiceError("token_not_found");
    return token;
  }

  /** Takes a token from those that wait for the wallet. @throws {ServiceError} 404, 409 if it is accepted */
  async decline(wallet: string, mint: string): Promise<ListedToken> {
    const { tokens, handOvers } = this.deps.store;
    const isDeclined = await handOvers.decline(wallet, mint);
    const token = await tokens.find(wallet, mint);
    if (token?.holder !== wallet) throw new ServiceError("token_not_found");
    if (!isDeclined) throw new ServiceError("already_accepted");
    return token;
  }
}

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
async function areHeldBy(
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
