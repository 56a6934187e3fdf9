import type { ExplainedTransaction } from "./explain/explanation.ts";
import { fromCaller } from "./internal/call-stack.ts";
import { withJson } from "./internal/tokenctl-error.ts";

/**
 * Explains in words what any transaction does, such as a claim, a hand-over or a launch. It reads
 * only the bytes, asks no server, and guesses nothing: it calls an unknown instruction unknown.
 *
 * @param transaction in Solana's wire format, signed or not: bytes, or text in base64 or base58
 * @throws {InvalidArgumentError} if it is not a transaction
 * @example
 * import { explainTransaction } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const { instructions } = await explainTransaction(transaction);
 * for (const { text } of instructions) console.log(text);
 */
export async function explainTransaction(
  transaction: Uint8Array | string,
): Promise<ExplainedTransaction> {
  return fromCaller(explainTransaction, async () => {
    // Loaded on first use: most programs explain no transaction.
    const { explain } = await import("./explain/transaction.ts");
    return withJson(explain(transaction));
  });
}
