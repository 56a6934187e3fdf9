import { CollectFeeMode as DammCollectFeeMode } from "@meteora-ag/cp-amm-sdk";
import {
  CollectFeeMode,
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  DAMM_V2_PROGRAM_ID,
  DYNAMIC_BONDING_CURVE_PROGRAM_ID,
  deriveTokenBadgeAddress,
  METAPLEX_PROGRAM_ID,
  MigratedCollectFeeMode,
  MigrationFeeOption,
  MigrationOption,
  type PoolConfig,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT } from "@solana/spl-token";
import type { AccountInfo, Connection, PublicKey } from "@solana/web3.js";
import { byteLength } from "@tokenctl/shared/fit-bytes";
import { readAccounts } from "../../solana/connection.ts";
import { curveAccountKind, decodeDammConfig, decodePoolConfig } from "./accounts.ts";
import { MAX_URI_BYTES, metadataUri } from "./launch.ts";
import type { MeteoraPrograms } from "./programs.ts";

const PROGRAMS = [
  { name: "Dynamic Bonding Curve", address: DYNAMIC_BONDING_CURVE_PROGRAM_ID },
  { name: "DAMM v2", address: DAMM_V2_PROGRAM_ID },
  { name: "Token Metadata", address: METAPLEX_PROGRAM_ID },
];

/** The longest base58 text of 32 bytes. */
const MAX_ADDRESS_CHARACTERS = 44;

const CREATE_ONE = "Make one with `tokend config create` and set DBC_CONFIG to its address.";

interface CheckedConfig {
  readonly connection: Connection;
  readonly programs: MeteoraPrograms;
  readonly config: PublicKey;
  readonly publicUrl: string;
}

export async function checkConfig(
  { connection, programs, config, publicUrl }: CheckedConfig,
  onConfig: (config: PoolConfig) => void = () => {},
): Promise<string | null> {
  const uri = metadataUri(publicUrl, "1".repeat(MAX_ADDRESS_CHARACTERS));
  if (byteLength(uri) > MAX_URI_BYTES) {
    return `PUBLIC_URL is too long: addresses of metadata have to fit into ${MAX_URI_BYTES} bytes.`;
  }
  const [configAccount, ...others] = await readAccounts(connection, [
    config,
    ...PROGRAMS.map(({ address }) => address),
    ...DAMM_V2_MIGRATION_FEE_ADDRESS,
  ]);
  const missing = PROGRAMS.find((_, index) => !others[index]?.executable);
  if (missing) {
    return `The program ${missing.name} (${missing.address}) is not on this cluster. Check RPC_URL.`;
  }
  if (!configAccount) return `DBC_CONFIG ${config} is not on this cluster. ${CREATE_ONE}`;
  const decoded = orNull(() => decodePoolConfig(programs, configAccount));
  if (!decoded) return `DBC_CONFIG ${config} ${otherKind(programs, configAccount)}. ${CREATE_ONE}`;
  onConfig(decoded);
  const problem = (await quoteProblem(connection, decoded.quoteMint)) ?? curveProblem(decoded);
  if (problem) return `DBC_CONFIG ${config} ${problem}. ${CREATE_ONE}`;
  const dammConfig = others[PROGRAMS.length + decoded.migrationFeeOption];
  const address = DAMM_V2_MIGRATION_FEE_ADDRESS[decoded.migrationFeeOption];
  if (!dammConfig) {
    return `The DAMM v2 config ${address}, under which pools migrate, is not on this cluster. Check RPC_URL.`;
  }
  const quoteOnly = takesQuoteOnly(programs, decoded, dammConfig);
  if (quoteOnly === null)
    return `The account ${address} is not a config of DAMM v2. Check RPC_URL.`;
  if (quoteOnly) return null;
  return `DBC_CONFIG ${config} takes fees in other tokens than SOL after migration. ${CREATE_ONE}`;
}

function orNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** @returns why agents' tokens cannot be launched on a curve, as the end of a sentence; null if they can */
function curveProblem(config: PoolConfig): string | null {
  if (config.migrationOption !== MigrationOption.MET_DAMM_V2) return "does not migrate to DAMM v2";
  if (config.collectFeeMode !== CollectFeeMode.QuoteToken) {
    return "takes fees in other tokens than SOL";
  }
  if (config.creatorTradingFeePercentage === 0) return "leaves the agents no trading fees";
  if (config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage === 0) {
    return "leaves the agents no liquidity, so that they earn nothing after migration";
  }
  return null;
}

/** @returns what an account is instead of a config, as the end of a sentence */
function otherKind(programs: MeteoraPrograms, account: AccountInfo<Buffer>): string {
  const kind = curveAccountKind(programs, account);
  if (kind === "ConfigWithTransferHook") {
    return "is a ConfigWithTransferHook, whose pools are of the kind TransferHookPool: tokend launches and claims none of these";
  }
  const known = kind === null || kind === "PoolConfig" ? "" : `, but a ${kind}`;
  return `is not a config of Dynamic Bonding Curve${known}`;
}

/** @returns why a curve does not trade against SOL, as the end of a sentence; null if it does */
async function quoteProblem(connection: Connection, quoteMint: PublicKey): Promise<string | null> {
  if (quoteMint.equals(NATIVE_MINT)) return null;
  const badge = deriveTokenBadgeAddress(quoteMint);
  const [account] = await readAccounts(connection, [badge]);
  const admitted = account ? `, which the TokenBadge ${badge} admits` : "";
  return `trades against another token than SOL: ${quoteMint}${admitted}`;
}

/** Whether pools take only SOL after migration; null if Meteora's config is unreadable. */
function takesQuoteOnly(
  programs: MeteoraPrograms,
  { migrationFeeOption, migratedCollectFeeMode }: PoolConfig,
  dammConfig: AccountInfo<Buffer>,
): boolean | null {
  if (migrationFeeOption === MigrationFeeOption.Customizable) {
    return migratedCollectFeeMode === MigratedCollectFeeMode.QuoteToken;
  }
  const config = orNull(() => decodeDammConfig(programs, dammConfig));
  return config && config.collectFeeMode === DammCollectFeeMode.OnlyB;
}
