import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { DevAirdrop, DevGraduation, DevTrade } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { TokenRef } from "../../domain/token.ts";
import { parseSolAmount } from "../../http/validation.ts";
import { type Sandbox, SandboxError } from "../../launchpad/sandbox.ts";
import type { Store } from "../../store/store.ts";

/** The most that one airdrop or trade may move. */
const MAX_LAMPORTS = BigInt(limits.devSOL.max) * LAMPORTS_PER_SOL;

/** The sandbox's market over HTTP. Any agent may trade any token, as on a real chain. */
export class DevService {
  readonly #sandbox: Sandbox;
  readonly #tokens: Store["tokens"];

  constructor(sandbox: Sandbox, tokens: Store["tokens"]) {
    this.#sandbox = sandbox;
    this.#tokens = tokens;
  }

  async airdrop(wallet: string, sol: number | string): Promise<DevAirdrop> {
    const lamports = parseSolAmount("sol", sol, MAX_LAMPORTS);
    const signature = await this.#sandbox.airdrop(wallet, lamports).catch(throwConflict);
    return { success: true, signature, wallet, sol: lamportsToSol(lamports) };
  }

  async trade(mint: string, side: "buy" | "sell", sol: number | string): Promise<DevTrade> {
    const token = await this.#token(mint);
    const lamports = parseSolAmount("sol", sol, MAX_LAMPORTS);
    const trade = await this.#sandbox.trade({ ...token, side, lamports }).catch(throwConflict);
    return {
      success: true,
      signature: trade.signature,
      side,
      sol: lamportsToSol(lamports),
      tokens: trade.tokens.toString(),
      creatorFeeSOL: lamportsToSol(trade.creatorFeeLamports),
      isMigrated: trade.isMigrated,
    };
  }

  async graduate(mint: string): Promise<DevGraduation> {
    const token = await this.#token(mint);
    const { signature, isMigrated } = await this.#sandbox.graduate(token).catch(throwConflict);
    return { success: true, signature, isMigrated };
  }

  rpc(request: Request): Promise<Response> {
    return this.#sandbox.rpc(request);
  }

  async #token(mint: string): Promise<TokenRef> {
    const row = await this.#tokens.findAny(mint);
    if (!row) throw new ServiceError("token_not_found");
    return { tokenMint: row.tokenMint, poolAddress: row.poolAddress };
  }
}

/** @throws {ServiceError} 409 if the sandbox refused; any other error as it is */
function throwConflict(fault: unknown): never {
  if (fault instanceof SandboxError) {
    throw new ServiceError("sandbox_refused", { text: fault.message });
  }
  throw fault;
}
