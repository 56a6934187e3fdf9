import { lamportsToSol } from "@tokenctl/shared/sol";
import type {
  ClaimList,
  ClaimRecord,
  ClaimsReceipt,
  PreparedClaims,
  UnreadableClaim,
} from "@tokenctl/shared/types";
import { BoundedMap } from "../../base/bounded-map.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Cosigned, HandedOut } from "../../domain/signing.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import type { TokenFees, UnreadableFees } from "../../launchpad/pool-program.ts";
import type { BuildClaimOptions } from "../../launchpad/signing/signing.ts";
import type { PreparedRow } from "../../store/prepared.ts";
import type { Store } from "../../store/store.ts";
import type { TokenRow } from "../../store/tokens.ts";
import { isSponsored, type SigningService } from "../signing/service.ts";
import {
  claimRecord,
  needsPaid,
  type Payees,
  paidOnWire,
  requireReceivers,
} from "./claim-record.ts";
import { ownTokens } from "./hand-overs.ts";

/**
 * Sponsored claims of an agent and UTC day that failed or are open: they may cost the launch wallet
 * their network fee. Others cost it nothing.
 */
export const MAX_SPONSORED_AT_RISK = 3;

/** Sponsored claims that are remembered to have cost a fee, so that the chain is not asked again. */
const MOST_KNOWN = 10_000;

export interface ClaimServiceDeps {
  readonly store: Pick<Store, "tokens" | "prepared" | "handOvers" | "clock">;
  readonly chain: Pick<Launchpad, "readFees" | "readCreators">;
  readonly signing: SigningService;
  readonly sponsorsClaims: boolean;
}

/** Which tokens' fees are asked for; `received` includes those that the agent was given and has accepted. */
interface ListRequest extends PageRequest {
  readonly received?: boolean;
}

export class ClaimService {
  /** Sponsored claims, by row id, that have cost their sponsor a fee. */
  readonly #costly = new BoundedMap<number, true>(MOST_KNOWN);

  constructor(private readonly deps: ClaimServiceDeps) {}

  /** The wallet's fees, those not readable in `unreadable`. @throws {ServiceError} 503 */
  async list(wallet: string, { limit, before, received }: ListRequest): Promise<ClaimList> {
    const { store, chain } = this.deps;
    const which = received ? "all" : "launched";
    const { rows, next } = await store.tokens.page(wallet, { limit, before }, which);
    const fees = await chain.readFees(wallet, rows).catch(throwAsServiceError);
    const claims: ClaimRecord[] = [];
    const unreadable: UnreadableClaim[] = [];
    // Read after the chain: a claim that lands in between is not known to have paid yet, and so not
    // taken for one that was made elsewhere.
    const isHandedOver = rows.some(({ heldBy }) => heldBy !== null);
    const paid =
      isHandedOver || fees.some((read) => !("unreadable" in read) && needsPaid(read))
        ? await store.prepared.paidByToken(wallet)
        : null;
    for (const [index, row] of rows.entries()) {
      const read = fees[index] as TokenFees | UnreadableFees;
      if ("unreadable" in read) {
        unreadable.push({ tokenMint: row.tokenMint, ticker: row.ticker, error: read.unreadable });
      } else claims.push(claimRecord(row, read, paid?.get(row.tokenMint)));
    }
    return {
      claims,
      ...(unreadable.length > 0 && { unreadable }),
      ...(next !== null && { nextCursor: encodeCursor(next) }),
    };
  }

  /**
   * Step 1: builds one transaction for those of the tokens that have fees, as many as fit. @throws
   * {ServiceError} 400 for a receiver that is not a wallet, 404, 409, 502, 503
   */
  async prepare(
    wallet: string,
    mints: readonly string[],
    { transactionVersion, ...payees }: Payees & Pick<BuildClaimOptions, "transactionVersion"> = {},
  ): Promise<PreparedClaims> {
    requireReceivers(payees);
    const { receivers = [] } = payees;
    const { signing } = this.deps;
    const tokens = await this.requireTokens(wallet, mints);
    const claim = await signing.chain
      .buildClaim(wallet, tokens, {
        receivers,
        transactionVersion,
        maySponsor: () => this.#maySponsor(wallet),
      })
      .catch(throwAsServiceError);
    const tokenMints = claim?.tokens.map(({ tokenMint }) => tokenMint) ?? [];
    const [tokenMint, ...otherMints] = tokenMints;
    if (claim === null || tokenMint === undefined) throw new ServiceError("no_fees_to_claim");
    const { repaidLamports, receivers: paid } = claim;
    const what = { kind: "claim", wallet, tokenMint, otherMints, receivers: paid } as const;
    return {
      ...(await signing.handOut(what, claim)),
      ...(repaidLamports !== null && {
        sponsored: true,
        repaymentSOL: lamportsToSol(repaidLamports),
      }),
      ...paidOnWire(paid),
      tokenMints,
    };
  }

  async #maySponsor(wallet: string): Promise<boolean> {
    if (!this.deps.sponsorsClaims) return false;
    const atRisk = await this.deps.store.prepared.sponsoredAtRisk(wallet);
    if (atRisk.length < MAX_SPONSORED_AT_RISK) return true;
    const released = await Promise.all(atRisk.map((claim) => this.#releasePlace(claim)));
    return released.includes(true);
  }

  /** Releases the place of a sponsored claim that can no longer cost anything. @returns whether it did */
  async #releasePlace({ id, ...claim }: PreparedRow): Promise<boolean> {
    const { store, signing } = this.deps;
    const { signature, lastValidBlockHeight } = claim;
    const mayHaveExpired = claim.status === "prepared" && store.clock.now() >= claim.expiresAt;
    if (!mayHaveExpired || signature === null || this.#costly.get(id)) return false;
    const agent = claim.wallet;
    const outcome = await signing.chain.finalOutcome({ signature, lastValidBlockHeight, agent });
    if (outcome === "landed") this.#costly.set(id, true);
    if (outcome !== "never") return false;
    await store.prepared.clearRisk(id);
    return true;
  }

  /**
   * Step 2: sends the transaction as the agent signed it, with assertions of Lighthouse or without,
   * and returns when it is confirmed. Sent again, it gets the same answer.
   * @param mints all that the transaction claims, or more
   */
  async submit(
    wallet: string,
    mints: readonly string[],
    signedTransaction: string,
  ): Promise<ClaimsReceipt> {
    const { signing } = this.deps;
    const accepted = await signing.accept({ kind: "claim", wallet }, signedTransaction, (row) =>
      tokensOf(row).every((mint) => mints.includes(mint)),
    );
    const { row, signed } = accepted;
    const options = isSponsored(row, signed)
      ? {
          cosign: (handedOut: HandedOut) => this.#cosign(row, handedOut),
          limits: { maxAtRisk: MAX_SPONSORED_AT_RISK },
        }
      : {};
    const confirmed = await signing.sendAndWait(accepted, options);
    if (confirmed === null) throw unsettled();
    return {
      success: true,
      transactionHash: confirmed.signature,
      claimedSOL: lamportsToSol(confirmed.paidLamports),
      tokenMints: tokensOf(row),
    };
  }

  /** The launch wallet signs a claim once: after that the bytes are the same. */
  async #cosign(row: PreparedRow, handedOut: HandedOut): Promise<Cosigned> {
    const { signature, transaction } = row;
    if (signature !== null && transaction !== null) return { signature, transaction };
    // The store decides when the claim is submitted; this spares a signature that would not be sent.
    if (!(await this.#maySponsor(row.wallet))) throw new ServiceError("claim_expired");
    return this.deps.signing.chain.cosign(handedOut);
  }

  /** See {@link ownTokens}. */
  requireTokens(wallet: string, mints: readonly string[]): Promise<TokenRow[]> {
    return ownTokens(this.deps, wallet, mints);
  }
}

function tokensOf({ tokenMint, otherMints }: PreparedRow): string[] {
  return [...(tokenMint === null ? [] : [tokenMint]), ...otherMints];
}

function unsettled(): ServiceError {
  return new ServiceError("claim_unsettled", {
    advice:
      "Send the same transaction again to read its outcome, or request a new one: fees are paid once.",
    retryAfterSeconds: 5,
  });
}
