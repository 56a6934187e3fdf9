import { type Connection, type Keypair, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../bounded-map.ts";
import type { LaunchOrder, TokenFees, TokenRef } from "../launchpad.ts";
import type { LaunchInstructions, PoolProgram } from "../pool-program.ts";
import { curvePoolAddress, liquidityPoolAddress, mintKeypair } from "./addresses.ts";
import { claimInstructions } from "./claim.ts";
import { type Curve, CurveReader } from "./curve-reader.ts";
import { curveFees, liquidityFees } from "./fees.ts";
import { launchInstructions } from "./launch.ts";
import { type LiquidityHolding, LiquidityReader } from "./liquidity-reader.ts";
import { metadataUri } from "./on-chain-text.ts";
import { findProblem } from "./problem.ts";
import { meteoraPrograms } from "./programs.ts";

export interface MeteoraDeps {
  readonly connection: Connection;
  /** Pays for launches and makes the pools. */
  readonly launchWallet: Keypair;
  /** The DBC config under which new pools are made: `tokend config create`. */
  readonly config: PublicKey;
  /** From which the mints' keys are derived; at least 32 bytes, the same for ever. */
  readonly secret: Uint8Array;
  /** The server's own address, under which metadata documents are found. */
  readonly publicUrl: string;
}

const NO_FEES = { claimable: 0n, claimed: 0n, total: 0n };
/** About 10 MB of addresses; deriving one takes a tenth of a millisecond. */
const REMEMBERED_POOLS = 50_000;

/** The launchpad of real clusters: Meteora's Dynamic Bonding Curve, then its DAMM v2. */
export function meteoraProgram(deps: MeteoraDeps): PoolProgram {
  const { connection, launchWallet, config, secret, publicUrl } = deps;
  const programs = meteoraPrograms(connection);
  const curves = new CurveReader(connection, programs);
  const liquidity = new LiquidityReader(connection, programs);
  const liquidityPools = new BoundedMap<string, PublicKey>(REMEMBERED_POOLS);

  /** Of each curve that has migrated, the pool that it became and the agent's share of it. */
  async function readHoldings(agent: PublicKey, all: readonly Curve[]) {
    const migrated = all.filter((curve) => curve.pool.isMigrated);
    const holdings = new Map<Curve, LiquidityHolding>();
    if (migrated.length === 0) return holdings;
    const found = await liquidity.read(agent, migrated.map(liquidityPoolOf));
    migrated.forEach((curve, index) => {
      const holding = found[index];
      if (holding) holdings.set(curve, holding);
    });
    return holdings;
  }

  function liquidityPoolOf(curve: Curve): PublicKey {
    return liquidityPools.getOrMake(curve.address.toBase58(), () =>
      liquidityPoolAddress(curve.config.migrationFeeOption, curve.pool.mint),
    );
  }

  return {
    addresses(eventId: string): TokenRef {
      const mint = mintKeypair(secret, eventId).publicKey;
      return {
        tokenMint: mint.toBase58(),
        poolAddress: curvePoolAddress(config, mint).toBase58(),
      };
    },

    async launch(order: LaunchOrder): Promise<LaunchInstructions> {
      const mint = mintKeypair(secret, order.eventId);
      const instructions = await launchInstructions(programs, {
        order,
        mint: mint.publicKey,
        uri: metadataUri(publicUrl, mint.publicKey.toBase58()),
        config,
        launchWallet: launchWallet.publicKey,
      });
      return { instructions, signers: [mint] };
    },

    async readFees(agent: string, tokens: readonly TokenRef[]): Promise<TokenFees[]> {
      if (tokens.length === 0) return [];
      const found = await curves.read(tokens);
      const holdings = await readHoldings(new PublicKey(agent), found);
      return found.map((curve) => {
        const holding = holdings.get(curve);
        return {
          bondingCurve: curveFees(curve, agent),
          liquidityPool: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
          isMigrated: curve.pool.isMigrated,
        };
      });
    },

    async claim(agent: string, token: TokenRef) {
      const wallet = new PublicKey(agent);
      const [curve] = await curves.read([token]);
      if (!curve) return null;
      const holdings = await readHoldings(wallet, [curve]);
      return claimInstructions(programs, wallet, curve, holdings.get(curve) ?? null);
    },

    problem: (through = connection) => findProblem(through, programs, config, publicUrl),
  };
}
