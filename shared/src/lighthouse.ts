/*
 * Lighthouse: a program whose assertions wallets add to a transaction before they sign it, so that it
 * fails if it does other things than they showed. Source: the program's own repository,
 * `Jac0xb/lighthouse`, its `LighthouseInstruction` (2.0.0).
 */

/** Its address, base58. */
export const LIGHTHOUSE_PROGRAM = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";

/** Assertions that a wallet may add to one claim. Phantom adds up to four. */
export const MAX_ASSERTIONS = 8;

/** The first byte of an instruction names it; what follows is its log level and what it compares. */
const FIRST_ASSERTION = 2; // AssertAccountData; before it MemoryWrite and MemoryClose, which write
const MERKLE_TREE = 16; // AssertMerkleTreeAccount, which calls another program
const LAST_ASSERTION = 17; // AssertBubblegumTreeConfigAccount

/**
 * Whether an instruction of Lighthouse can do nothing but make its transaction fail: it compares
 * accounts or the clock with values. Those that write, that call another program, or that are unknown
 * here, are none.
 *
 * @param data the instruction's, for example `[15, 0, 0, …]` of AssertSysvarClock
 */
export function isAssertion(data: Uint8Array): boolean {
  const [tag = 0] = data;
  return tag >= FIRST_ASSERTION && tag <= LAST_ASSERTION && tag !== MERKLE_TREE;
}
