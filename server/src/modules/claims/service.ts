import type { Static } from "@sinclair/typebox";
import { PublicKey } from "@solana/web3.js";
import type { ClaimRequestSchema } from "@tokenctl/shared/contract/claim";
import { paidOnWire } from "@tokenctl/shared/shares";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimsReceipt, FieldError, PreparedClaims } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { DAY_MS } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { SignedBytes } from "../../domain/journal.ts";
import { clientOf, type Requester, type TimedShares } from "../../domain/shares.ts";
import type { HandedOut, Receiver } from "../../domain/signing.ts";
import { isSettling } from "../../domain/token.ts";
import { validationError } from "../../http/body.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import { mintsOf, type PreparedRow } from "../../store/prepared.ts";
import type { Store } from "../../store/store.ts";
import type { TokenRow } from "../../store/tokens.ts";
import { isSponsored, type SigningService } from "../signing/service.ts";

/** Failed or open, of an agent in a UTC day: each may cost the launch wallet its network fee. */
const MAX_SPONSORED_AT_RISK = 3;

export interface ClaimDeps {
  readonly store: Store;
  readonly chain: Launchpad;
  readonly signing: SigningService;
}

export class ClaimService {
  /** @param deps `sponsored`: the places of the claims that the launch wallet pays for in a day */
  constructor(private readonly deps: ClaimDeps & { readonly sponsored: TimedShares | null }) {}

  async prepare(
    client: Requester,
    mints: readonly string[],
    { transactionVersion, receivers = [] }: Static<typeof ClaimRequestSchema> = {},
  ): Promise<PreparedClaims> {
    requireReceivers(receivers);
    const { signing } = this.deps;
    const { wallet } = client;
    const tokens = await ownTokens(this.deps, wallet, mints);
    const claim = await signing.chain
      .buildClaim(wallet, tokens, {
        receivers,
        transactionVersion,
        maySponsor: () => this.#maySponsor(client),
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
      ...(paid.length > 0 && { receivers: paid.map(paidOnWire) }),
      tokenMints,
    };
  }

  async #maySponsor({ wallet, address }: Requester): Promise<boolean> {
    if (this.deps.sponsored?.usedUp(clientOf(wallet, address)) !== null) return false;
    const atRisk = await this.deps.store.prepared.sponsoredAtRisk(wallet);
    if (atRisk.length < MAX_SPONSORED_AT_RISK) return true;
    const released = await Promise.all(atRisk.map((claim) => this.#releasePlace(claim)));
    return released.includes(true);
  }

  /** Stops counting a sponsored claim if it can no longer cost anything. @returns whether it did */
  async #releasePlace({ id, ...claim }: PreparedRow): Promise<boolean> {
    const { store, signing } = this.deps;
    const { signature, lastValidBlockHeight } = claim;
    const mayHaveExpired = claim.status === "prepared" && store.clock.now() >= claim.expiresAt;
    if (!mayHaveExpired || signature === null) return false;
    const agent = claim.wallet;
    const outcome = await signing.chain.finalOutcome({ signature, lastValidBlockHeight, agent });
    if (outcome !== "never") return false;
    await store.prepared.clearRisk(id);
    return true;
  }

  /** Step 2. A repeat gets the same response. @param mints at least all tokens that it claims */
  async submit(
    { wallet, address }: Requester,
    mints: readonly string[],
    { signedTransaction = "", receivers }: Static<typeof ClaimRequestSchema>,
  ): Promise<ClaimsReceipt> {
    const { signing } = this.deps;
    // Step 2 may name the receivers again, but no others.
    const isIt = (row: PreparedRow) =>
      mintsOf(row).every((mint) => mints.includes(mint)) &&
      namesOf(receivers ?? row.receivers) === namesOf(row.receivers);
    const accepted = await signing.accept({ kind: "claim", wallet }, signedTransaction, isIt);
    const { row, signed } = accepted;
    const cosign = (handedOut: HandedOut) => this.#cosign(row, address, handedOut);
    const limits = { maxAtRisk: MAX_SPONSORED_AT_RISK };
    const options = isSponsored(row, signed) ? { cosign, limits } : {};
    const confirmed = await signing.sendAndWait(accepted, options);
    if (confirmed === null) {
      const advice =
        "Send the same transaction again to read its outcome, or request a new one: fees are paid once.";
      throw new ServiceError("claim_unsettled", { advice, retryAfterSeconds: 5 });
    }
    return {
      success: true,
      transactionHash: confirmed.signature,
      claimedSOL: lamportsToSol(confirmed.paidLamports),
      tokenMints: mintsOf(row),
    };
  }

  /** Returns the claim with the launch wallet's signature, which is made only once. */
  async #cosign(
    { wallet, signature, transaction }: PreparedRow,
    address: string | null,
    handedOut: HandedOut,
  ): Promise<SignedBytes> {
    if (signature !== null && transaction !== null) return { signature, transaction };
    const { signing, sponsored, store } = this.deps;
    // The store decides at submission. This check avoids a signature that would not be sent.
    const may = await this.#maySponsor({ wallet, address });
    const signed = may ? await signing.chain.cosign(handedOut) : null;
    const until = store.clock.elapsed() + DAY_MS;
    const place = signed && sponsored?.take(clientOf(wallet, address), until);
    if (!signed || typeof place !== "object") throw new ServiceError("claim_expired");
    return signed;
  }
}

const namesOf = (receivers: readonly Pick<Receiver, "address">[]) =>
  receivers.map(({ address }) => address).join();

/** Only the chain knows whether an address is a wallet. */
function requireReceivers(receivers: readonly Receiver[]): void {
  const details = receivers.flatMap(({ address }, index): FieldError[] => {
    const field = `receivers/${index}/address`;
    const bytes = decodeAddress(address);
    if (!bytes || !PublicKey.isOnCurve(bytes)) {
      return [{ field, message: "must be the address of a wallet, for which a keypair can sign" }];
    }
    const isFirst = receivers.findIndex((other) => other.address === address) === index;
    return isFirst ? [] : [{ field, message: "is named twice" }];
  });
  if (receivers.length > 0 && receivers.reduce((sum, { share }) => sum + share, 0) !== 100) {
    details.push({ field: "receivers", message: "must have shares that add up to 100" });
  }
  if (details.length > 0) throw validationError(details);
}

/**
 * Finds tokens whose fees a wallet may claim or hand over: it launched or owned them, or the chain
 * says that it owns them (one read for all). When a transaction is built, the chain decides whether
 * it still owns the fees. @throws {ServiceError} 404, 503
 */
export async function ownTokens(
  deps: Pick<ClaimDeps, "store" | "chain">,
  wallet: string,
  mints: readonly string[],
): Promise<TokenRow[]> {
  const { tokens, handOvers } = deps.store;
  const found = await Promise.all(mints.map((mint) => tokens.findAny(mint)));
  const known = found.filter((token) => token !== null);
  const foreign = known.filter((token) => token.wallet !== wallet && token.holder !== wallet);
  const had = await handOvers.hadTokens(wallet, foreign);
  const others = foreign.filter((token) => !had.has(token.tokenMint));
  if (known.length < found.length || !(await areHeldBy(deps, others, wallet))) {
    throw new ServiceError("token_not_found");
  }
  return known;
}

/** Whether a wallet owns these tokens' fees on chain. Records that unless it has just changed. */
export async function areHeldBy(
  { store, chain }: Pick<ClaimDeps, "store" | "chain">,
  tokens: readonly TokenRow[],
  wallet: string,
): Promise<boolean> {
  if (tokens.length === 0) return true;
  if (tokens.some(({ heldSince }) => isSettling(heldSince, store.clock.now()))) return false;
  const pools = await chain.readPools(tokens).catch(throwAsServiceError);
  if (!pools.every((pool) => "creator" in pool && pool.creator === wallet)) return false;
  for (const { tokenMint, holder, wallet: launcher } of tokens) {
    await store.handOvers.found({ tokenMint, known: holder ?? launcher, actual: wallet });
  }
  return true;
}
