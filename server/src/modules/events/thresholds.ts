import { FeeThresholdListSchema, FeeThresholdRequestSchema } from "@tokenctl/shared/contract/event";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import { parseSolAmount } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import type { Store } from "../../store/store.ts";

const MAX_LAMPORTS = BigInt(limits.feeThresholdSOL.max) * LAMPORTS_PER_SOL;

export function thresholdEndpoints({ watch, tokens }: Pick<Store, "watch" | "tokens">) {
  async function list(wallet: string) {
    const thresholds = await watch.thresholds(wallet);
    return {
      thresholds: thresholds.map(({ tokenMint, lamports }) => ({
        tokenMint,
        claimableSOL: lamportsToSol(lamports),
      })),
    };
  }
  /** @param tokenMint null for all tokens */
  async function set(wallet: string, tokenMint: string | null, claimableSOL: number | string) {
    const lamports = parseSolAmount("claimableSOL", claimableSOL, MAX_LAMPORTS);
    await requireToken(wallet, tokenMint);
    await watch.setThreshold(wallet, { tokenMint, lamports });
    return list(wallet);
  }
  async function remove(wallet: string, tokenMint: string | null) {
    await requireToken(wallet, tokenMint);
    await watch.deleteThreshold(wallet, tokenMint);
    return list(wallet);
  }
  async function requireToken(wallet: string, tokenMint: string | null): Promise<void> {
    if (tokenMint === null || (await tokens.find(wallet, tokenMint))) return;
    throw new ServiceError("token_not_found");
  }
  const common = { tag: "Events", answer: FeeThresholdListSchema, errors: [] } as const;
  const ofToken = { ...common, errors: ["token_not_found"] } as const;
  const body = json(FeeThresholdRequestSchema);
  return [
    endpoint({
      ...common,
      route: "GET /api/v1/events/thresholds/",
      id: "listFeeThresholds",
      summary: "List the agent's fee thresholds",
      description:
        "Returns the thresholds of the agent: the one of all its tokens, whose `tokenMint` is null, and those of single tokens. A token that reaches its threshold causes one `fees.claimable` event.",
      handle: ({ wallet }) => list(wallet),
    }),
    endpoint({
      ...common,
      route: "PUT /api/v1/events/thresholds/",
      id: "setFeeThreshold",
      summary: "Set the fee threshold of all tokens",
      description:
        "Sets the threshold of all tokens that have none of their own, and returns all thresholds.",
      body,
      handle: ({ wallet, body }) => set(wallet, null, body.claimableSOL),
    }),
    endpoint({
      ...common,
      route: "DELETE /api/v1/events/thresholds/",
      id: "deleteFeeThreshold",
      summary: "Remove the fee threshold of all tokens",
      description: "Returns the thresholds that are left. Deleting it again changes nothing.",
      handle: ({ wallet }) => remove(wallet, null),
    }),
    endpoint({
      ...ofToken,
      route: "PUT /api/v1/events/thresholds/:mintAddress",
      id: "setTokenFeeThreshold",
      summary: "Set one token's fee threshold",
      description:
        "Sets the threshold of one token, which counts instead of that of all tokens, and returns all thresholds.",
      body,
      handle: ({ wallet, params, body }) => set(wallet, params.mintAddress, body.claimableSOL),
    }),
    endpoint({
      ...ofToken,
      route: "DELETE /api/v1/events/thresholds/:mintAddress",
      id: "deleteTokenFeeThreshold",
      summary: "Remove one token's fee threshold",
      description: "Returns the thresholds that are left. Deleting it again changes nothing.",
      handle: ({ wallet, params }) => remove(wallet, params.mintAddress),
    }),
  ];
}
