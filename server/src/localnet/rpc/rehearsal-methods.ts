import { asInteger, type Methods } from "./method.ts";
import { invalidParams } from "./rpc-error.ts";

/** The longest slot, in milliseconds: an hour. */
const MAX_SLOT_MS = 3_600_000;

/**
 * A method that no node of Solana has: it changes how the chain runs, to rehearse what happens to a
 * cluster. The sandbox of a server does not offer it, because its users share it.
 */
export const rehearsalMethods: Methods = {
  /**
   * Takes an object: `slotMs`, `rentPerByte`, and `halt`, which is `"transactions"` (none lands),
   * `"blocks"` (no block appears either) or null (all goes on). What is absent stays.
   */
  rehearse: (chain, params) => {
    const { slotMs, rentPerByte, halt } = params.config(0);
    if (slotMs !== undefined) chain.setSlotMs(parseSlotMs(slotMs));
    if (rentPerByte !== undefined) chain.setRent(BigInt(asInteger(rentPerByte)));
    if (halt === null || halt === "transactions" || halt === "blocks") chain.halt(halt);
    else if (halt !== undefined) throw invalidParams("halt must be transactions, blocks or null");
    return { slot: chain.slot() };
  },
};

function parseSlotMs(value: unknown): number {
  const slotMs = asInteger(value);
  if (slotMs < 1 || slotMs > MAX_SLOT_MS) {
    throw invalidParams(`slotMs must be from 1 to ${MAX_SLOT_MS}`);
  }
  return slotMs;
}
