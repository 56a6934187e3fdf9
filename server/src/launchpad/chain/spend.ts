import type { SignedTransaction, WalletJournal } from "../../domain/journal.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import type { PayingContext } from "./context.ts";
import { type Sending, spentBy, storeAndSend } from "./transaction.ts";
import type { MeasuredCost } from "./wallet-guard.ts";

interface Spending<Signed extends SignedTransaction> extends Sending<Signed> {
  readonly journal: WalletJournal<SignedTransaction, Signed>;
  readonly cost: MeasuredCost;
  readonly sign: () => Promise<Signed>;
}

/**
 * Signs and sends a transaction that takes lamports from the launch wallet. They are set aside before:
 *
 *     set aside ── is not signed ───────────────▶ freed
 *         │
 *      signed ──── expired, or failed on chain ─▶ settled with what it took
 *         │
 *         └─────── landed, or not known ────────▶ stay set aside until the next try, or the end, settles them
 *
 * @throws as `WalletGuard.reserve` and {@link storeAndSend}
 */
export async function spend<Signed extends SignedTransaction>(
  chain: PayingContext,
  { cost, sign, ...sending }: Spending<Signed>,
): Promise<TransactionOutcome> {
  const { journal, signal } = sending;
  const takesNoMore = await chain.guard.reserve(journal, cost);
  try {
    const signed = await sign().catch(async (error: unknown) => {
      await journal.settle(0n);
      throw error;
    });
    const { outcome } = await storeAndSend(chain, signed, sending);
    if (outcome.kind !== "landed") {
      await journal.settle(await spentBy(chain, signed, { outcome: outcome.kind, signal }));
    }
    return outcome;
  } finally {
    takesNoMore();
  }
}
