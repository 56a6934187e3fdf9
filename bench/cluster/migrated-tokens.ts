import { Keypair, type PublicKey } from "@solana/web3.js";
import type { TokenRef } from "../../server/src/domain/token.ts";
import {
  HoldingReader,
  liquidityPoolAddress,
} from "../../server/src/launchpad/meteora/liquidity-reader.ts";
import { CurveReader } from "../../server/src/launchpad/meteora/programs.ts";
import { cloneMigratedToken } from "../../server/src/launchpad/meteora/testing/clone.ts";
import { buy, migrate } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import {
  launch,
  SOL,
  type TestLaunchpad,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";

/** Meteora's option for pools whose fee the curve's config sets, as the service's configs do. */
const CUSTOMIZABLE = 6;

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
  await buy(connection, { pool: token.pool, trader }, 400n * SOL);
  await migrate(connection, token.pool, trader);
  const liquidityPool = liquidityPoolAddress(CUSTOMIZABLE, token.mint);
  const curves = await new CurveReader(connection).read([token.ref]);
  const [read] = await new HoldingReader(connection).read(agent, curves);
  const held = read instanceof Error ? undefined : read?.holding?.positions[0];
  if (!held) throw new Error("the agent has no position in the migrated pool");
  const source = {
    mint: token.mint,
    curvePool: token.pool,
    liquidityPool,
    position: held.address,
    nftAccount: held.nftAccount,
    migrationFeeOption: CUSTOMIZABLE,
  };
  const clones = Array.from({ length: count - 1 }, (_, index) =>
    cloneMigratedToken(chain, source, { creatorFee: BigInt(index + 1), pending: BigInt(index) }),
  );
  return { agent, tokens: [token.ref, ...clones] };
}
