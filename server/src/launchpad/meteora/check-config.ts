import { type AccountInfo, type Connection, PublicKey } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { CUSTOMIZABLE, QUOTE_TOKEN, TO_DAMM_V2 } from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2_CONFIGS } from "@tokenctl/shared/programs/ids";
import { tokenMetadata } from "@tokenctl/shared/programs/token";
import { readAccounts } from "../../solana/connection.ts";
import { type CurveConfig, creatorLiquidity, tryRead } from "./programs.ts";

const PROGRAMS = [dbc, dammV2, tokenMetadata];

/** DAMM v2's config for pools whose own config sets the fee, as those of tokend do. */
const AFTER_CURVE = DAMM_V2_CONFIGS[CUSTOMIZABLE] as string;

const CREATE_ONE = "Make one with `tokend config create` and set DBC_CONFIG to its address.";

/** Returns why no launch can work under a config, or null. */
export async function checkConfig(
  connection: Connection,
  config: PublicKey,
): Promise<string | null> {
  const [configAccount, ...others] = await readAccounts(connection, [
    config,
    ...[...PROGRAMS.map(({ id }) => id), AFTER_CURVE].map((one) => new PublicKey(one)),
  ]);
  const missing = missingOf(others);
  if (missing !== null) return missing;
  if (!configAccount) return `DBC_CONFIG ${config} is not on this cluster. ${CREATE_ONE}`;
  const decoded = tryRead(configAccount, [dbc, "PoolConfig"], config);
  const problem =
    decoded instanceof Error ? "is not a config of Dynamic Bonding Curve" : curveProblem(decoded);
  if (problem !== null) return `DBC_CONFIG ${config} ${problem}. ${CREATE_ONE}`;
  if (others[PROGRAMS.length]) return null;
  return `The DAMM v2 config ${AFTER_CURVE}, under which pools migrate, is not on this cluster. Check RPC_URL.`;
}

/** @returns a program that launches need and the cluster lacks; null if there is none */
export async function missingProgram(connection: Connection): Promise<string | null> {
  return missingOf(
    await readAccounts(
      connection,
      PROGRAMS.map(({ id }) => new PublicKey(id)),
    ),
  );
}

/** @param accounts the programs' accounts, in order */
function missingOf(accounts: readonly (AccountInfo<Buffer> | null)[]): string | null {
  const missing = PROGRAMS.find((_, index) => !accounts[index]?.executable);
  if (!missing) return null;
  return `The program ${missing.name} (${missing.id}) is not on this cluster. Check RPC_URL.`;
}

/** @returns why agents' tokens cannot launch on a curve, as the end of a sentence, or null */
function curveProblem(config: CurveConfig): string | null {
  if (config.quoteMint !== WRAPPED_SOL_MINT) {
    return `trades against a token other than SOL: ${config.quoteMint}`;
  }
  if (config.migrationOption !== TO_DAMM_V2) return "does not migrate to DAMM v2";
  if (config.migrationFeeOption !== CUSTOMIZABLE) return "does not set the fee after migration";
  if (config.collectFeeMode !== QUOTE_TOKEN || config.migratedCollectFeeMode !== QUOTE_TOKEN) {
    return "takes fees in tokens other than SOL";
  }
  if (config.creatorTradingFeePercentage === 0) return "leaves the agents no trading fees";
  if (creatorLiquidity(config) === 0) {
    return "leaves the agents no liquidity, so that they earn nothing after migration";
  }
  return null;
}
