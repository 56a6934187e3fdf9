import { Type } from "@sinclair/typebox";
import {
  HandOverReceiptSchema,
  HandOverRequestSchema,
  PreparedHandOverSchema,
} from "@tokenctl/shared/contract/hand-over";
import { endpoint, json } from "../../http/endpoint.ts";
import type { HandOverService } from "./hand-overs.ts";

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
        "receiver_not_wallet",
        "receiver_full",
        "hand_over_unaffordable",
        "hand_over_mismatch",
        "hand_over_expired",
        "hand_over_refused",
        "hand_over_unsettled",
        "chain_unavailable",
        "wrong_cluster",
      ],
      handle({ wallet, params: { mintAddress }, body: { to = "", force, signedTransaction } }) {
        return signedTransaction === undefined
          ? handOvers.prepare(wallet, mintAddress, { to, force })
          : handOvers.submit(wallet, mintAddress, signedTransaction);
      },
    }),
  ];
}
