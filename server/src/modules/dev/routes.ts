import {
  DevAirdropRequestSchema,
  DevAirdropSchema,
  DevGraduateRequestSchema,
  DevGraduationSchema,
  DevRpcReplySchema,
  DevRpcRequestSchema,
  DevTradeRequestSchema,
  DevTradeSchema,
} from "@tokenctl/shared/contract/sandbox";
import { decodeAddress } from "../../base/base58.ts";
import { ServiceError } from "../../base/service-error.ts";
import { readBytes } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import { validationError } from "../../http/validation.ts";
import type { DevService } from "./service.ts";

const tag = "Sandbox";

/** The sandbox's routes. They are not part of the contract, and no other server has them. */
export function devEndpoints(dev: DevService) {
  return [
    endpoint({
      route: "POST /dev/rpc",
      // Solana's tools cannot send a bearer token, and nothing on this chain has value.
      auth: "none",
      id: "callRpc",
      summary: "Call the embedded chain's JSON-RPC",
      description:
        "Answers as a node of Solana does. It needs no token: Solana's tools cannot send one.",
      tag,
      upload: { "application/json": DevRpcRequestSchema },
      answer: DevRpcReplySchema,
      errors: ["body_too_late", "body_too_large", "unsupported_media_type"],
      async handle({ request }) {
        const body = await readBytes(request);
        const { url, headers } = request;
        const answer = await dev.rpc(new Request(url, { method: "POST", headers, body }));
        // A node refuses these in plain text. Here every error has its code.
        if (answer.status === 415) throw new ServiceError("unsupported_media_type");
        if (answer.status === 413) throw new ServiceError("body_too_large");
        return answer;
      },
    }),
    endpoint({
      route: "POST /dev/airdrop",
      id: "airdrop",
      summary: "Give a wallet SOL",
      description: "Mints SOL into a wallet, by default the agent's own.",
      tag,
      body: json(DevAirdropRequestSchema),
      answer: DevAirdropSchema,
      errors: ["sandbox_refused"],
      handle: ({ wallet, body }) => dev.airdrop(recipient(body.wallet ?? wallet), body.sol),
    }),
    endpoint({
      route: "POST /dev/trade",
      id: "trade",
      summary: "Buy or sell a token",
      description: "Lets the sandbox's own trader buy tokens for SOL, or sell tokens worth it.",
      tag,
      body: json(DevTradeRequestSchema),
      answer: DevTradeSchema,
      errors: ["token_not_found", "sandbox_refused"],
      handle: ({ body: { tokenMint, side, sol } }) => dev.trade(tokenMint, side, sol),
    }),
    endpoint({
      route: "POST /dev/graduate",
      id: "graduate",
      summary: "Let a token leave the bonding curve",
      description: "Buys until the pool migrates to the liquidity pool.",
      tag,
      body: json(DevGraduateRequestSchema),
      answer: DevGraduationSchema,
      errors: ["token_not_found", "sandbox_refused"],
      handle: ({ body }) => dev.graduate(body.tokenMint),
    }),
  ];
}

function recipient(wallet: string): string {
  if (decodeAddress(wallet)) return wallet;
  throw validationError([{ field: "wallet", message: "must be a base58 address" }]);
}
