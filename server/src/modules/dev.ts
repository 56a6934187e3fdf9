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
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { decodeAddress } from "../base/base58.ts";
import { ServiceError } from "../base/service-error.ts";
import type { TokenRef } from "../domain/token.ts";
import { parseSolAmount, readBytes, validationError } from "../http/body.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { SandboxError } from "../launchpad/errors.ts";
import type { Sandbox } from "../launchpad/local/sandbox.ts";
import type { Store } from "../store/store.ts";

const MAX_LAMPORTS = BigInt(limits.devSOL.max) * LAMPORTS_PER_SOL;

function throwConflict(fault: unknown): never {
  if (!(fault instanceof SandboxError)) throw fault;
  throw new ServiceError("sandbox_refused", { text: fault.message });
}

const tag = "Sandbox";

/** The sandbox's routes, which are not part of the contract and which no other server has. */
export function devEndpoints(sandbox: Sandbox, { tokens }: Store) {
  async function tokenOf(mint: string): Promise<TokenRef> {
    const row = await tokens.findAny(mint);
    if (!row) throw new ServiceError("token_not_found");
    return { tokenMint: row.tokenMint, poolAddress: row.poolAddress };
  }
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
      errors: [
        "body_too_late",
        "body_too_large",
        "unsupported_media_type",
        "unsupported_content_encoding",
      ],
      async handle({ request }) {
        const body = await readBytes(request);
        const { url, headers } = request;
        const answer = await sandbox.rpc(new Request(url, { method: "POST", headers, body }));
        // A node refuses these in plain text. Here every error has a code.
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
      async handle({ wallet: agent, body: { wallet = agent, sol } }) {
        if (!decodeAddress(wallet)) {
          throw validationError([{ field: "wallet", message: "must be a base58 address" }]);
        }
        const lamports = parseSolAmount("sol", sol, MAX_LAMPORTS);
        const signature = await sandbox.airdrop(wallet, lamports).catch(throwConflict);
        return { success: true as const, signature, wallet, sol: lamportsToSol(lamports) };
      },
    }),
    endpoint({
      route: "POST /dev/trade",
      id: "trade",
      summary: "Buy or sell a token",
      description: "Lets the sandbox's trader buy tokens for SOL, or sell tokens worth that much.",
      tag,
      body: json(DevTradeRequestSchema),
      answer: DevTradeSchema,
      errors: ["token_not_found", "sandbox_refused"],
      async handle({ body: { tokenMint, side, sol } }) {
        const token = await tokenOf(tokenMint);
        const lamports = parseSolAmount("sol", sol, MAX_LAMPORTS);
        const trade = await sandbox.trade({ ...token, side, lamports }).catch(throwConflict);
        return {
          success: true as const,
          signature: trade.signature,
          side,
          sol: lamportsToSol(lamports),
          tokens: trade.tokens.toString(),
          creatorFeeSOL: lamportsToSol(trade.creatorFeeLamports),
          isMigrated: trade.isMigrated,
        };
      },
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
      async handle({ body: { tokenMint } }) {
        const graduated = sandbox.graduate(await tokenOf(tokenMint));
        const { signature, isMigrated } = await graduated.catch(throwConflict);
        return { success: true as const, signature, isMigrated };
      },
    }),
  ];
}
