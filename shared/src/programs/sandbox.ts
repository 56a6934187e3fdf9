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

/**
 * An instruction that succeeds only on the embedded chain. It reads the mint and changes nothing;
 * on any other chain the mint is missing, and the whole transaction fails.
 */
export const SANDBOX_INSTRUCTION = builder.build(
  token,
  "AmountToUiAmount",
  { mint: SANDBOX_MINT },
  { amount: 0n },
);
