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
import {
  HandOverReceiptSchema,
  HandOverRequestSchema,
  PreparedHandOverSchema,
} from "@tokenctl/shared/contract/hand-over";
import { ServiceError } from "../../base/service-error.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import { PAGE, RECEIVED, TOKEN } from "../../http/parameters.ts";
import type { HandOverService } from "./hand-overs.ts";
import { claimHistory, listClaims } from "./list.ts";
import { type ClaimDeps, type ClaimService, ownTokens } from "./service.ts";

const tag = "Claims";

const claimErrors = [
  "token_not_found",
  "no_fees_to_claim",
  "insufficient_sol",
  "claim_build_failed",
  "creator_changed",
  "claim_mismatch",
  "claim_unsigned",
  "claim_expired",
  "claim_refused",
  "claim_unsettled",
  "chain_unavailable",
  "wrong_cluster",
] as const;

export function claimEndpoints(claims: ClaimService, reads: ClaimDeps) {
  return [
    endpoint({
      route: "GET /api/v1/tokens/claims/",
      id: "listClaims",
      summary: "Read the fees of the agent's tokens",
      description:
        "Returns the claimable, claimed and total fees of each token in SOL, newest token first. They are read from the chain. With `received` it includes tokens that the agent has received and accepted; of these it counts only what the agent itself has claimed.",
      tag,
      query: { ...PAGE, received: RECEIVED },
      isLong: () => true,
      answer: ClaimListSchema,
      errors: ["chain_unavailable", "wrong_cluster"],
      handle: ({ wallet, query }) => listClaims(reads, wallet, query),
    }),
    endpoint({
      route: "GET /api/v1/tokens/claims/history",
      id: "listPaidClaims",
      summary: "List the claims that have paid",
      description:
        "Returns what the agent's claims have paid, newest first: an entry for each token of a claim.",
      tag,
      query: { ...PAGE, token: TOKEN },
      answer: ClaimHistorySchema,
      errors: ["token_not_found"],
      handle: ({ wallet, query: { token, ...part } }) =>
        claimHistory(reads.store, wallet, { ...part, tokenMint: token }),
    }),
    endpoint({
      route: "POST /api/v1/tokens/claims/",
      id: "claimTokens",
      summary: "Claim the fees of several tokens",
      description:
        "Works like `claimToken`, for as many of the named tokens as fit into one transaction. Step 1 names them in `tokenMints`, and the `receivers` if others than the agent get the fees; step 2 sends `tokenMints` of its answer again, with `signedTransaction`.",
      tag,
      pausable: "claims",
      body: json(ClaimsRequestSchema),
      isLong: () => true,
      answer: Type.Union([PreparedClaimsSchema, ClaimsReceiptSchema]),
      errors: ["mint_required", ...claimErrors],
      takesAddress: true,
      handle({ body, ...client }) {
        const { tokenMints } = body;
        if (tokenMints === undefined) throw new ServiceError("mint_required");
        return body.signedTransaction === undefined
          ? claims.prepare(client, tokenMints, body)
          : claims.submit(client, tokenMints, body);
      },
    }),
    endpoint({
      route: "POST /api/v1/tokens/claims/:mintAddress",
      id: "claimToken",
      summary: "Claim a token's fees, in two steps",
      description:
        "Step 1, without a body, returns the unsigned transaction; with `receivers`, one that pays them instead of the agent. Step 2 sends it back with the agent's signature in `signedTransaction`; the answer comes when the chain has confirmed it. Both kinds of fees are claimed together. Step 2 may be sent again: it gets the first answer.",
      tag,
      pausable: "claims",
      body: json(ClaimRequestSchema),
      isBodyOptional: true,
      isLong: () => true,
      answer: Type.Union([PreparedClaimSchema, ClaimReceiptSchema]),
      errors: claimErrors,
      takesAddress: true,
      async handle({ params: { mintAddress }, body, ...client }) {
        const { signedTransaction } = body;
        const mints = [mintAddress];
        if (signedTransaction !== undefined) await ownTokens(reads, client.wallet, mints);
        const { tokenMints: _, ...answer } =
          signedTransaction === undefined
            ? await claims.prepare(client, mints, body)
            : await claims.submit(client, mints, body);
        return answer;
      },
    }),
  ];
}

export function handOverEndpoints(handOvers: HandOverService) {
  return [
    endpoint({
      route: "POST /api/v1/tokens/hand-overs/:mintAddress",
      id: "handOverToken",
      summary: "Hand a token over to another wallet, in two steps",
      description:
        "Gives the fees that a token earns from then on to another wallet: the role of the pool's creator, and after migration also the NFT of its position. Open fees go with it, so claim them first. Step 1, with `to`, returns the unsigned transaction. Step 2 sends it back with the agent's signature in `signedTransaction`; the answer comes when the chain has confirmed it. Step 2 may be sent again: it gets the first answer.",
      tag: "Tokens",
      pausable: "claims",
      body: json(HandOverRequestSchema),
      isLong: () => true,
      answer: Type.Union([PreparedHandOverSchema, HandOverReceiptSchema]),
      errors: [
        "token_not_found",
        "creator_changed",
        "hand_over_unaffordable",
        "hand_over_mismatch",
        "hand_over_expired",
        "hand_over_refused",
        "hand_over_unsettled",
        "chain_unavailable",
        "wrong_cluster",
      ],
      handle: ({ wallet, params: { mintAddress }, body }) =>
        body.signedTransaction === undefined
          ? handOvers.prepare(wallet, mintAddress, { to: "", ...body })
          : handOvers.submit(wallet, mintAddress, body),
    }),
  ];
}
