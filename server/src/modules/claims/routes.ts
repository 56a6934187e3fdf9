import { Type } from "@sinclair/typebox";
import {
  ClaimHistorySchema,
  ClaimListSchema,
  ClaimReceiptSchema,
  ClaimsReceiptSchema,
  PreparedClaimSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/response-schemas";
import { ClaimRequestSchema, ClaimsRequestSchema } from "@tokenctl/shared/schemas";
import type {
  ClaimReceipt,
  ClaimsReceipt,
  PreparedClaim,
  PreparedClaims,
} from "@tokenctl/shared/types";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { longAnswer } from "../../http/long-answer.ts";
import { operation } from "../../http/openapi.ts";
import { parsePage } from "../../http/paging.ts";
import { NOT_PAUSED, refusePaused } from "../../http/pauses.ts";
import { parser } from "../../http/validation.ts";
import type { Store } from "../../store/store.ts";
import { claimHistory, parseTime } from "./history.ts";
import type { ClaimService } from "./service.ts";

const parseClaim = parser(ClaimRequestSchema);
const parseClaims = parser(ClaimsRequestSchema);

/** Of both steps of a claim, of one token or several. */
const claimErrors = [
  ...["token_not_found", "no_fees_to_claim", "insufficient_sol", "claim_build_failed"],
  ...["claim_mismatch", "claim_unsigned", "claim_expired", "claim_refused"],
  ...["paused", "claim_unsettled", "chain_unavailable", "wrong_cluster"],
] as const;

export function claimRoutes(
  claims: ClaimService,
  store: Pick<Store, "tokens" | "claims">,
  bearer: ReturnType<typeof bearerPlugin>,
  server: CurrentServer,
  pauseReason = NOT_PAUSED,
) {
  return new Elysia({ prefix: "/api/v1/tokens/claims" })
    .use(bearer)
    .get(
      "/",
      ({ request, wallet, query }) => {
        const page = parsePage(query);
        return longAnswer(server(), request, () => claims.list(wallet, page));
      },
      operation({
        summary: "Read the fees of all of the agent's tokens",
        tag: "Claims",
        query: ["limit", "cursor"],
        answer: ClaimListSchema,
        errors: ["chain_unavailable", "wrong_cluster"],
      }),
    )
    .get(
      "/history",
      ({ wallet, query }) => {
        const { token = null, from, to } = query as Record<string, string | undefined>;
        const time = { from: parseTime("from", from), to: parseTime("to", to) };
        return claimHistory(store, wallet, { ...parsePage(query), tokenMint: token, ...time });
      },
      operation({
        summary: "List the claims that have paid, newest first",
        tag: "Claims",
        query: ["limit", "cursor", "token", "from", "to"],
        answer: ClaimHistorySchema,
        errors: ["token_not_found"],
      }),
    )
    .post(
      "/",
      async ({ request, wallet }) => {
        refusePaused("claims", pauseReason);
        const { tokenMints, signedTransaction } = parseClaims((await readJson(request)) ?? {});
        return longAnswer<PreparedClaims | ClaimsReceipt>(server(), request, () => {
          if (tokenMints === undefined) throw new ServiceError("mint_required");
          return signedTransaction === undefined
            ? claims.prepareMany(wallet, tokenMints)
            : claims.submitMany(wallet, tokenMints, signedTransaction);
        });
      },
      operation({
        summary: "Claim the fees of several tokens: name them, then send the transaction signed",
        tag: "Claims",
        body: ClaimsRequestSchema,
        answer: Type.Union([PreparedClaimsSchema, ClaimsReceiptSchema]),
        errors: ["mint_required", ...claimErrors],
      }),
    )
    .post(
      "/:mintAddress",
      async ({ request, wallet, params: { mintAddress } }) => {
        refusePaused("claims", pauseReason);
        const { signedTransaction } = parseClaim((await readJson(request)) ?? {});
        return longAnswer<PreparedClaim | ClaimReceipt>(server(), request, () =>
          signedTransaction === undefined
            ? claims.prepare(wallet, mintAddress)
            : claims.submit(wallet, mintAddress, signedTransaction),
        );
      },
      operation({
        summary: "Claim a token's fees: without a body get the transaction, then send it signed",
        tag: "Claims",
        body: ClaimRequestSchema,
        bodyOptional: true,
        answer: Type.Union([PreparedClaimSchema, ClaimReceiptSchema]),
        errors: claimErrors,
      }),
    );
}
