import { limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { HandOverReceipt, PreparedHandOver } from "@tokenctl/shared/types";
import bs58 from "bs58";
import { decodeAddress } from "../../base/base58.ts";
import { waitAtMost } from "../../base/clock.ts";
import { verifyEd25519 } from "../../base/ed25519.ts";
import { ServiceError } from "../../base/service-error.ts";
import { validationError } from "../../http/body.ts";
import { toServiceError } from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";
import { isHandOver } from "../../store/hand-overs.ts";
import type { Store } from "../../store/store.ts";
import type { ListedToken, TokenRow } from "../../store/tokens.ts";
import { areHeldBy, ownTokens } from "./own-token.ts";
import { ANSWER_DEADLINE_MS } from "./service.ts";
import { findClaim, messageHash, parseSignedClaim } from "./signed-claim.ts";
import type { ClaimSubmitter } from "./submitter.ts";

export interface HandOverDeps {
  readonly store: Pick<Store, "tokens" | "claims" | "handOvers" | "clock">;
  readonly chain: Pick<Launchpad, "buildHandOver" | "readCreators">;
  readonly submitter: Pick<ClaimSubmitter, "submit">;
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
    { to, force = false }: { readonly to: string; readonly force?: boolean | undefined },
  ): Promise<PreparedHandOver> {
    const { store, chain } = this.deps;
    if (decodeAddress(to) === null || to === wallet) {
      const message = "must be the base58 address of another wallet";
      throw validationError([{ field: "to", message }]);
    }
    const [token] = (await ownTokens(this.deps, wallet, [mint])) as [TokenRow];
    if ((await store.handOvers.countWaiting(to)) >= limits.waitingTokens.max) {
      throw new ServiceError("receiver_full");
    }
    const built = await chain
      .buildHandOver({ agent: wallet, token, to, force })
      .catch(throwAsServiceError);
    const now = store.clock.now();
    await store.claims.prepare({
      wallet,
      tokenMint: mint,
      handedTo: to,
      messageHash: messageHash(built.message),
      lastValidBlockHeight: built.lastValidBlockHeight,
      preparedAt: now,
      expiresAt: now + built.expiresInSeconds * 1000,
    });
    return {
      success: true,
      transaction: Buffer.from(built.transaction).toString("base64"),
      expiresInSeconds: built.expiresInSeconds,
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
    const { store, submitter } = this.deps;
    const signed = parseSignedClaim(signedTransaction);
    const found = signed && (await findClaim(store.claims, wallet, signed));
    const publicKey = decodeAddress(wallet);
    const isSigned =
      signed && publicKey && verifyEd25519(signed.message, signed.signature, publicKey);
    if (!found || !isSigned || !isHandOver(found) || found.tokenMint !== mint) {
      throw new ServiceError("hand_over_mismatch");
    }
    if (found.status === "prepared" && store.clock.now() >= found.expiresAt) {
      throw new ServiceError("hand_over_expired");
    }
    const { signature, transaction } = signed;
    const outcome = submitter.submit(found, { signature: bs58.encode(signature), transaction });
    // It goes on and is recorded after the deadline too.
    if (!(await waitAtMost(ANSWER_DEADLINE_MS, outcome, store.clock))) {
      throw new ServiceError("hand_over_unsettled", { retryAfterSeconds: 5 });
    }
    const landed = await outcome.catch(throwAsServiceError);
    return { success: true, transactionHash: landed.signature, to: found.handedTo };
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

  /**
   * Takes a token from those that wait for the wallet, or that it has accepted. @throws
   * {ServiceError} 404
   */
  async decline(wallet: string, mint: string): Promise<ListedToken> {
    const { tokens, handOvers } = this.deps.store;
    const token = (await handOvers.decline(wallet, mint)) ? await tokens.find(wallet, mint) : null;
    if (!token) throw new ServiceError("token_not_found");
    return token;
  }
}

const HAND_OVER_CODES = {
  claim_expired: "hand_over_expired",
  insufficient_sol: "hand_over_unaffordable",
  claim_build_failed: "hand_over_refused",
  claim_refused: "hand_over_refused",
} as const;

/** What is sent for a claim fails like one, and is named by what it is. */
function throwAsServiceError(fault: unknown): never {
  const error = toServiceError(fault);
  if (!(error instanceof ServiceError)) throw error;
  const { wireCode, message: text, advice, facts, cause } = error;
  const code = HAND_OVER_CODES[wireCode as keyof typeof HAND_OVER_CODES];
  const about = { cause, ...(advice && { advice }), ...(facts && { facts }) };
  if (code === "hand_over_refused") throw new ServiceError(code, { ...about, text });
  throw code === undefined ? error : new ServiceError(code, about);
}
