import { Keypair, type PublicKey } from "@solana/web3.js";
import type { TokenRef } from "../../server/src/domain/token.ts";
import {
  cloneMigratedToken,
  migratedToken,
} from "../../server/src/launchpad/meteora/testing/clone.ts";
import {
  launch,
  SOL,
  type TestLaunchpad,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import { soldOut } from "../../server/src/launchpad/meteora/testing/trades.ts";

/** An agent's tokens, all of them migrated, so that their fees take the most reads. */
export interface MigratedTokens {
  readonly agent: PublicKey;
  readonly tokens: readonly TokenRef[];
}

/** Launches, sells out and migrates one token, and writes copies of its accounts. */
export async function migratedTokens(
  launchpad: TestLaunchpad,
  count: number,
): Promise<MigratedTokens> {
  const { chain, connection, wallet } = launchpad.cluster;
  const agent = Keypair.generate().publicKey;
  const trader = wallet(1_000n * SOL);
  const token = await launch(launchpad, agent);
  await soldOut(launchpad, token, trader);
  const source = await migratedToken(connection, token, agent);
  const clones = Array.from({ length: count - 1 }, (_, index) =>
    cloneMigratedToken(chain, source, { creatorFee: BigInt(index + 1), pending: BigInt(index) }),
  );
  return { agent, tokens: [token.ref, ...clones] };
}
