/*
 * Lighthouse: wallets add its assertions to a transaction before they sign it, so that the transaction fails
 * if it does something other than they showed. Source: `LighthouseInstruction` of `Jac0xb/lighthouse` (2.0.0).
 */

export const LIGHTHOUSE_PROGRAM = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";

/** Maximum assertions of a wallet in one claim. Phantom adds up to four. */
export const MAX_ASSERTIONS = 8;

/** The first byte of an instruction names it; the log level and what it compares follow. */
const FIRST_ASSERTION = 2; // AssertAccountData, after MemoryWrite and MemoryClose, which write
const MERKLE_TREE = 16; // AssertMerkleTreeAccount, which calls another program
const LAST_ASSERTION = 17; // AssertBubblegumTreeConfigAccount

/**
 * Whether an instruction of Lighthouse can only make its transaction fail: it compares values, and
 * does not write, call another program, or have an unknown tag.
 */
export function isAssertion(data: Uint8Array): boolean {
  const [tag = 0] = data;
  return tag >= FIRST_ASSERTION && tag <= LAST_ASSERTION && tag !== MERKLE_TREE;
}
