import { lamportsToSol } from "@tokenctl/shared/sol";
import type { HandOverReceipt, HandOverRequest, PreparedHandOver } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { ServiceError } from "../../base/service-error.ts";
import { validationError } from "../../http/body.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import type { PreparedRow } from "../../store/prepared.ts";
import type { ListedToken, TokenRow } from "../../store/tokens.ts";
import { areHeldBy, type ClaimDeps, ownTokens } from "./service.ts";

export class HandOverService {
  constructor(private readonly deps: ClaimDeps) {}

  /** Step 1: builds the transaction for the agent to sign. */
  async prepare(
    wallet: string,
    mint: string,
    { to, transactionVersion }: HandOverRequest & { readonly to: string },
  ): Promise<PreparedHandOver> {
    const { signing } = this.deps;
    if (decodeAddress(to) === null || to === wallet) {
      const message = "must be the base58 address of another wallet";
      throw validationError([{ field: "to", message }]);
    }
    const [token] = (await ownTokens(this.deps, wallet, [mint])) as [TokenRow];
    const built = await signing.chain
      .buildHandOver({ agent: wallet, token, to, transactionVersion })
      .catch(throwAsServiceError);
    const what = { kind: "hand_over", wallet, tokenMint: mint, handedTo: to } as const;
    return {
      ...(await signing.handOut(what, built)),
      networkFeeSOL: lamportsToSol(built.networkFee),
      rentSOL: lamportsToSol(built.rent),
    };
  }

  /** Step 2: sends it, and returns when it is confirmed. A repeat gets the first response. */
  async submit(wallet: string, mint: string, asked: HandOverRequest): Promise<HandOverReceipt> {
    const { signing } = this.deps;
    const about = { kind: "hand_over", wallet } as const;
    const isIt = ({ tokenMint, handedTo }: PreparedRow) =>
      tokenMint === mint && handedTo === (asked.to ?? handedTo);
    const accepted = await signing.accept(about, asked.signedTransaction ?? "", isIt);
    const landed = await signing.sendAndWait(accepted);
    if (landed === null) throw new ServiceError("hand_over_unsettled", { retryAfterSeconds: 5 });
    return { success: true, transactionHash: landed.signature, to: accepted.row.handedTo ?? "" };
  }

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
}
