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
import { Elysia } from "elysia";
import { decodeAddress } from "../../base/base58.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readBytes, readJson } from "../../http/body.ts";
import { operation } from "../../http/openapi.ts";
import { parser, validationError } from "../../http/validation.ts";
import type { DevService } from "./service.ts";

const parseAirdrop = parser(DevAirdropRequestSchema);
const parseTrade = parser(DevTradeRequestSchema);
const parseGraduate = parser(DevGraduateRequestSchema);

/** The sandbox's routes. They are not part of the contract, and no other server has them. */
export function devRoutes(dev: DevService, bearer: ReturnType<typeof bearerPlugin>) {
  // Needs no bearer token: Solana's tools cannot send one, and nothing on this chain has value.
  const rpc = new Elysia().post(
    "/rpc",
    async ({ request }) => {
      const body = await readBytes(request);
      const { url, headers } = request;
      const answer = await dev.rpc(new Request(url, { method: "POST", headers, body }));
      // A node refuses these in plain text. Here every error has its code.
      if (answer.status === 415) throw new ServiceError("unsupported_media_type");
      if (answer.status === 413) throw new ServiceError("body_too_large");
      return answer;
    },
    operation({
      id: "callRpc",
      summary: "Call the embedded chain's JSON-RPC",
      description:
        "Answers as a node of Solana does. It needs no token: Solana's tools cannot send one.",
      tag: "Sandbox",
      isPublic: true,
      upload: { "application/json": DevRpcRequestSchema },
      answer: DevRpcReplySchema,
      errors: ["body_too_late", "body_too_large", "unsupported_media_type"],
    }),
  );
  return new Elysia({ prefix: "/dev" })
    .use(rpc)
    .use(bearer)
    .post(
      "/airdrop",
      async ({ request, wallet }) => {
        const order = parseAirdrop(await readJson(request));
        return dev.airdrop(recipient(order.wallet ?? wallet), order.sol);
      },
      operation({
        id: "airdrop",
        summary: "Give a wallet SOL",
        description: "Mints SOL into a wallet, by default the agent's own.",
        tag: "Sandbox",
        body: DevAirdropRequestSchema,
        answer: DevAirdropSchema,
        errors: ["sandbox_refused"],
      }),
    )
    .post(
      "/trade",
      async ({ request }) => {
        const { tokenMint, side, sol } = parseTrade(await readJson(request));
        return dev.trade(tokenMint, side, sol);
      },
      operation({
        id: "trade",
        summary: "Buy or sell a token",
        description: "Lets the sandbox's own trader buy tokens for SOL, or sell tokens worth it.",
        tag: "Sandbox",
        body: DevTradeRequestSchema,
        answer: DevTradeSchema,
        errors: ["token_not_found", "sandbox_refused"],
      }),
    )
    .post(
      "/graduate",
      async ({ request }) => {
        const { tokenMint } = parseGraduate(await readJson(request));
        return dev.graduate(tokenMint);
      },
      operation({
        id: "graduate",
        summary: "Let a token leave the bonding curve",
        description: "Buys until the pool migrates to the liquidity pool.",
        tag: "Sandbox",
        body: DevGraduateRequestSchema,
        answer: DevGraduationSchema,
        errors: ["token_not_found", "sandbox_refused"],
      }),
    );
}

function recipient(wallet: string): string {
  if (decodeAddress(wallet)) return wallet;
  throw validationError([{ field: "wallet", message: "must be a base58 address" }]);
}
