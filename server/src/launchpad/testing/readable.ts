import type { TokenFees, UnreadableFees } from "../launchpad.ts";

/** Fees of tokens all of which can be read. */
export function readable(fees: readonly (TokenFees | UnreadableFees)[]): TokenFees[] {
  return fees.map((read) => {
    if ("unreadable" in read) throw new Error(read.unreadable);
    return read;
  });
}
