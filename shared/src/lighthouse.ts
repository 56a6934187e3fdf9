/*
 * Lighthouse: wallets add its assertions to a transaction before they sign it. The transaction
 * fails if its effects differ from what the wallet showed. Source: `LighthouseInstruction` of
 * `Jac0xb/lighthouse` (2.0.0).
 */

export const LIGHTHOUSE_PROGRAM = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";

/** Maximum assertions that a wallet may add to a claim. Phantom adds up to four. */
export const MAX_ASSERTIONS = 8;

/** The first byte of an instruction is its tag; the log level and the compared values follow. */
const FIRST_ASSERTION = 2; // AssertAccountData, after MemoryWrite and MemoryClose, which write
const MERKLE_TREE = 16; // AssertMerkleTreeAccount, which calls another program
const LAST_ASSERTION = 17; // AssertBubblegumTreeConfigAccount

/** Returns whether an instruction can only fail its transaction: it writes nothing. */
export function isAssertion(data: Uint8Array): boolean {
  const [tag = 0] = data;
  return tag >= FIRST_ASSERTION && tag <= LAST_ASSERTION && tag !== MERKLE_TREE;
}
