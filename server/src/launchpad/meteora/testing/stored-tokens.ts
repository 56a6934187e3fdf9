import type { Store } from "../../../store/store.ts";
import { newAttempt, newLaunch } from "../../../store/testing/rows.ts";
import type { TestToken } from "./launchpad.ts";

export async function storeTokens(store: Store, tokens: readonly TestToken[]): Promise<void> {
  for (const { order, ref, signature } of tokens) {
    const { eventId, wallet, ticker } = order;
    await store.launches.insert([newLaunch(ticker, { eventId, wallet })]);
    const launch = await store.launches.lease(eventId, 60_000);
    if (launch?.eventId !== eventId) throw new Error(`${ticker} is not due`);
    await store.launches.recordAttempt(eventId, eventId, {
      ...newAttempt(ticker),
      ...ref,
      signature,
    });
    await store.launches.succeed(launch, { leaseId: eventId }, ref);
  }
}
