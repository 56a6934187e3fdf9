import type { TokenProof } from "@tokenctl/shared/types";
import { fromCaller } from "./internal/call-stack.ts";
import type { VerifyOptions } from "./verify/facts.ts";

/**
 * Shows what the chain says about a token, without asking the token service. It reads every field
 * of the token's mint, config, curve, pool and positions, and compares the metadata document with
 * the chain. It asks only the node and the document's server. Verdicts: `docs/agents.md`.
 *
 * @param tokenMint base58, of any token of Dynamic Bonding Curve
 * @throws {RpcError} if the node does not answer, or its answer is not valid
 * @throws {InvalidArgumentError} if an address or the node's URL is not valid
 * @example
 * import { verifyToken } from "@tokenctl/sdk";
 *
 * const { passed, facts } = await verifyToken(mint, { rpcUrl: "https://api.mainnet-beta.solana.com" });
 * for (const { name, verdict, text } of facts) console.log(verdict, name, text);
 * if (!passed) process.exitCode = 1;
 */
export async function verifyToken(tokenMint: string, options: VerifyOptions): Promise<TokenProof> {
  return fromCaller(verifyToken, async () => {
    // Loaded on first use: most programs verify no token.
    const { verify } = await import("./verify/token.ts");
    return verify(tokenMint, options);
  });
}
