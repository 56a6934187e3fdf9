import { InstructionBuilder } from "./program.ts";
import { token } from "./token.ts";

/**
 * The sandbox's mark: the address of a mint that the embedded chain has from its first slot. Its 32
 * bytes are the ASCII text `This mint marks a tokend sandbox`, which is neither on the curve of
 * Ed25519 nor the hash of known seeds. So it has no key, and no cluster can have an account there.
 */
export const SANDBOX_MINT = "6gVbAXCVAvzauCeuYhfbeHcQuWizNq74JT42xzKFhj2w";

const builder = new InstructionBuilder(() => {
  throw new Error("the mark has no derived address");
});

/** Succeeds only on the embedded chain: it reads a mint that no other has, and changes nothing. */
export const SANDBOX_INSTRUCTION = builder.build(
  token,
  "AmountToUiAmount",
  { mint: SANDBOX_MINT },
  { amount: 0n },
);
