import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  MigrationService,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { ComputeBudgetProgram, type Connection, type PublicKey } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { TokenUnreadableError } from "../errors.ts";
import type { UnreadableFees } from "../launchpad.ts";
import type { CurveProgress, LaunchInstructions, MigrationProgram } from "../pool-program.ts";
import { CurveReader } from "./curve-reader.ts";
import { meteoraPrograms } from "./programs.ts";

/** The migration of Meteora's curves to its DAMM v2, paid by the launch wallet. */
export function meteoraMigration(connection: Connection, payer: PublicKey): MigrationProgram {
  const curves = new CurveReader(connection, meteoraPrograms(connection));
  const service = new MigrationService(connection, "confirmed");
  return {
    async readProgress(tokens: readonly TokenRef[]) {
      const found = await curves.read(tokens);
      return found.map((curve): CurveProgress | UnreadableFees => {
        if (curve instanceof Error) return { unreadable: curve.message };
        const { isMigrated, completedAt } = curve.pool;
        return { isMigrated, completedAt: completedAt === 0n ? null : Number(completedAt) * 1_000 };
      });
    },

    async migration(token: TokenRef): Promise<LaunchInstructions> {
      const [curve] = await curves.read([token]);
      if (!curve || curve instanceof Error) throw curve;
      const { address, pool, config } = curve;
      const dammConfig = DAMM_V2_MIGRATION_FEE_ADDRESS[config.migrationFeeOption];
      if (!dammConfig) {
        throw new TokenUnreadableError(`The pool ${address} does not migrate to DAMM v2`);
      }
      if (!pool.mayMigrate) {
        throw new TokenUnreadableError(
          `The pool ${address} is not complete, or its config locks tokens for someone: that needs a locker first`,
        );
      }
      const { transaction, firstPositionNftKeypair, secondPositionNftKeypair } =
        await service.migrateToDammV2({ payer, pool: address, dammConfig });
      return {
        // The caller sets its own limit of compute units.
        instructions: transaction.instructions.filter(
          ({ programId }) => !programId.equals(ComputeBudgetProgram.programId),
        ),
        signers: [firstPositionNftKeypair, secondPositionNftKeypair],
      };
    },
  };
}
