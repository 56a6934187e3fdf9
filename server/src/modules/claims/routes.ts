import { Type } from "@sinclair/typebox";
import {
  ClaimHistorySchema,
  ClaimListSchema,
  ClaimReceiptSchema,
  ClaimRequestSchema,
  ClaimsReceiptSchema,
  ClaimsRequestSchema,
  PreparedClaimSchema,
  PreparedClaimsSchema,
} from "@tokenctl/shared/contract/claim";
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
  "creator_changed",
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
        id: "listClaims",
        summary: "Read the fees of the agent's tokens",
        description:
          "Returns the claimable, claimed and total fees of each token in SOL, newest token first. They are read from the chain.",
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
        id: "listPaidClaims",
        summary: "List the claims that have paid",
        description:
          "Returns what the agent's claims have paid, newest first: an entry for each token of a claim.",
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
            ? claims.prepare(wallet, tokenMints)
            : claims.submit(wallet, tokenMints, signedTransaction);
        });
      },
      operation({
        id: "claimTokens",
        summary: "Claim the fees of several tokens",
        description:
          "Works as `claimToken`, for as many of the named tokens as fit into one transaction. Step 1 names them in `tokenMints`; step 2 sends `tokenMints` of its answer again, with `signedTransaction`.",
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
        return longAnswer<PreparedClaim | ClaimReceipt>(server(), request, async () => {
          await claims.requireToken(wallet, mintAddress);
          const { tokenMints: _, ...answer } =
            signedTransaction === undefined
              ? await claims.prepare(wallet, [mintAddress])
              : await claims.submit(wallet, [mintAddress], signedTransaction);
          return answer;
        });
      },
      operation({
        id: "claimToken",
        summary: "Claim a token's fees, in two steps",
        description:
          "Step 1, without a body, returns the unsigned transaction. Step 2 sends it back with the agent's signature in `signedTransaction`; the answer comes when the chain has confirmed it. Both kinds of fees are claimed together. Step 2 may be sent again: it gets the first answer.",
        tag: "Claims",
        body: ClaimRequestSchema,
        bodyOptional: true,
        answer: Type.Union([PreparedClaimSchema, ClaimReceiptSchema]),
        errors: claimErrors,
      }),
    );
}
