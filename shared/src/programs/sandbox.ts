import { InstructionBuilder } from "./program.ts";
import { token } from "./token.ts";

/**
 * The sandbox's mark: the address of a mint that the embedded chain has from its first slot. It is the
 * 32 ASCII bytes `This mint marks a tokend sandbox`, which are not on the curve of Ed25519 and the hash
 * of no known seeds. So it has no key, and on no cluster can a program or a wallet put an account there.
 */
export const SANDBOX_MINT = "6gVbAXCVAvzauCeuYhfbeHcQuWizNq74JT42xzKFhj2w";

const builder = new InstructionBuilder(() => {
  throw new Error("the mark has no derived address");
});

/**
 * An instruction that succeeds on the embedded chain and on no cluster: it reads the mint and changes
 * nothing; where the mint is not, it fails with the whole transaction.
 */
export const SANDBOX_INSTRUCTION = builder.build(
  token,
  "AmountToUiAmount",
  { mint: SANDBOX_MINT },
  { amount: 0n },
);
