import type { Connection, PublicKey } from "@solana/web3.js";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2_CONFIGS } from "@tokenctl/shared/programs/ids";
import { generateKeypair } from "../../base/native-keys.ts";
import type { TokenRef } from "../../domain/token.ts";
import { TokenUnreadableError } from "../errors.ts";
import type {
  CurveProgress,
  LaunchInstructions,
  MigrationProgram,
  UnreadableFees,
} from "../pool-program.ts";
import { tokenOf } from "./claim.ts";
import { poolAfter } from "./liquidity-reader.ts";
import { builder, CurveReader, instruction } from "./programs.ts";

/** `LockedVesting` of `MigrationProgress`: the curve is complete, with a locker if it needs one. */
const READY_TO_MIGRATE = 2;

/** The migration of Meteora's curves to its DAMM v2, paid by the launch wallet. */
export function meteoraMigration(connection: Connection, payer: PublicKey): MigrationProgram {
  const curves = new CurveReader(connection);
  return {
    async readProgress(tokens: readonly TokenRef[]) {
      const read = await curves.read(tokens);
      return read.curves.map((curve): CurveProgress | UnreadableFees => {
        if (curve instanceof Error) return { unreadable: curve.message };
        const { isMigrated, finishCurveTimestamp: at } = curve.pool;
        return { isMigrated: isMigrated !== 0, completedAt: at === 0n ? null : Number(at) * 1_000 };
      });
    },

    async migration(token: TokenRef): Promise<LaunchInstructions> {
      const [curve] = (await curves.read([token])).curves;
      if (!curve || curve instanceof Error) throw curve;
      const { pool, mint, tokenProgram } = tokenOf(curve);
      const after = poolAfter(curve);
      if (after instanceof Error) throw after;
      if (curve.pool.migrationProgress !== READY_TO_MIGRATE) {
        throw new TokenUnreadableError(
          `The pool ${pool} is not complete, or its config locks tokens for someone: that needs a locker first`,
        );
      }
      const [first, second] = [generateKeypair(), generateKeypair()];
      const secondNft = second.publicKey.toBase58();
      const given = {
        virtualPool: pool,
        config: curve.pool.config,
        pool: after.toBase58(),
        firstPositionNftMint: first.publicKey.toBase58(),
        secondPositionNftMint: secondNft,
        secondPositionNftAccount: builder.derived(dammV2.id, "position_nft_account", secondNft),
        secondPosition: builder.derived(dammV2.id, "position", secondNft),
        baseMint: mint,
        payer: payer.toBase58(),
        tokenBaseProgram: tokenProgram,
      };
      const dammConfig = DAMM_V2_CONFIGS[curve.config.migrationFeeOption] as string;
      const migrate = instruction(dbc, "migration_damm_v2", given, {}, [dammConfig]);
      return { instructions: [migrate], signers: [first, second] };
    },
  };
}
