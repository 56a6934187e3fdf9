import type { TokenFees, UnreadableFees } from "../launchpad.ts";

/** Asserts that all fees can be read. @throws {Error} if those of one token cannot */
export function readable(fees: readonly (TokenFees | UnreadableFees)[]): TokenFees[] {
  return fees.map((read) => {
    if ("unreadable" in read) throw new Error(read.unreadable);
    return read;
  });
}
