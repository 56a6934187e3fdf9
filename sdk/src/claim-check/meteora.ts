import { bytesToHex } from "@noble/hashes/utils.js";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { type ClaimedPool, claimCurve, claimPosition } from "@tokenctl/shared/programs/recipes";
import { builder } from "../internal/program-address.ts";
import { expectSame, tryRead } from "./expected-instruction.ts";
import { type ClaimInstruction, type InstructionCheck, refuseInstruction } from "./instruction.ts";
import { isOfAgent, type Parties } from "./parties.ts";

/** Allows the claim of a creator's fees from a bonding curve. */
export const checkDbc: InstructionCheck = (instruction, parties) => {
  const { pool = "", ...seen } = accountsOf(instruction, "claim_creator_trading_fee");
  const token = { mint: seen.baseMint ?? "", tokenProgram: seen.tokenBaseProgram ?? "" };
  const claimed = { ...token, pool, agent: parties.agent };
  expectFees(instruction, parties, claimed, [pool], (of) => claimCurve(builder, of));
  return claimed.mint;
};

/** Allows the claim of a position's fees from a liquidity pool. */
export const checkDammV2: InstructionCheck = (instruction, parties) => {
  const { pool = "", position = "", ...seen } = accountsOf(instruction, "claim_position_fee");
  const nftAccount = seen.positionNftAccount ?? "";
  const token = { mint: seen.tokenAMint ?? "", tokenProgram: seen.tokenAProgram ?? "" };
  const claimed = { ...token, pool, agent: parties.agent };
  const chosen = [pool, position, nftAccount];
  expectFees(instruction, parties, claimed, chosen, (of) =>
    claimPosition(builder, of, { position, nftAccount }),
  );
  return claimed.mint;
};

function accountsOf(instruction: ClaimInstruction, name: string) {
  const read = tryRead(instruction);
  if (read?.name === name) return read.accounts;
  const seen = bytesToHex(instruction.data.subarray(0, 8));
  return refuseInstruction(
    instruction,
    `it is not ${name}: ${seen}, ${instruction.data.length} bytes of data`,
  );
}

/**
 * The token's fees go to the agent's account for it, and those in SOL to its account for wrapped SOL. Which pool
 * and position pay is the server's choice: the program checks that they belong together and to the agent, and
 * this check that none of them is an account of the agent.
 */
function expectFees(
  seen: ClaimInstruction,
  parties: Parties,
  claimed: ClaimedPool,
  chosen: readonly string[],
  build: (claimed: ClaimedPool) => BuiltInstruction,
): void {
  const { mint, tokenProgram } = claimed;
  const accounts = parties.tokenAccounts.get(mint);
  if (!accounts) {
    const tokens = [...parties.tokenAccounts.keys()].join(", ");
    refuseInstruction(seen, `it takes fees of ${mint} instead of the token (${tokens})`);
  }
  if (!accounts.has(tokenProgram))
    refuseInstruction(seen, `${tokenProgram} is not a token program`);
  const own = chosen.find((address) => isOfAgent(parties, address));
  if (own) refuseInstruction(seen, `it takes fees from the agent's own ${own}`);
  // How much it takes at most is the server's choice too.
  expectSame(seen, { ...build(claimed), data: seen.data });
}
