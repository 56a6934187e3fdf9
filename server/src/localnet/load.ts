import { tmpdir } from "node:os";

/**
 * Loads the embedded chain, for which a binary unpacks native code.
 * @throws {Error} names the folder and what it must allow; the module's own text blames npm
 */
export async function loadEmbeddedChain() {
  try {
    return await import("./chain.ts");
  } catch (cause) {
    throw new Error(
      `The sandbox's chain cannot be loaded by way of ${tmpdir()}: the folder must exist and be writable, have ` +
        "50 MB left, and allow programs (no noexec). Set TMPDIR to one that does.",
      { cause },
    );
  }
}
