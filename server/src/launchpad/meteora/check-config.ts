import { type AccountInfo, type Connection, PublicKey } from "@solana/web3.js";
import { byteLength } from "@tokenctl/shared/fit-bytes";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { CUSTOMIZABLE, QUOTE_TOKEN, TO_DAMM_V2 } from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2_CONFIGS } from "@tokenctl/shared/programs/ids";
import { kindOfAccount, readAccount } from "@tokenctl/shared/programs/program";
import { tokenMetadata } from "@tokenctl/shared/programs/token";
import { readAccounts } from "../../solana/connection.ts";
import { MAX_URI_BYTES, metadataUri } from "./launch.ts";
import { builder, type CurveConfig, creatorHasPosition } from "./programs.ts";

const PROGRAMS = [dbc, dammV2, tokenMetadata];

/** The longest base58 text of 32 bytes. */
const MAX_ADDRESS_CHARACTERS = 44;

/** `collect_fee_mode` of DAMM v2: fees are only in token B. */
const ONLY_B = 1;

const CREATE_ONE = "Make one with `tokend config create` and set DBC_CONFIG to its address.";

interface CheckedConfig {
  readonly connection: Connection;
  readonly config: PublicKey;
  readonly publicUrl: string;
}

export async function checkConfig(
  { connection, config, publicUrl }: CheckedConfig,
  onConfig: (config: CurveConfig) => void = () => {},
): Promise<string | null> {
  const uri = metadataUri(publicUrl, "1".repeat(MAX_ADDRESS_CHARACTERS));
  if (byteLength(uri) > MAX_URI_BYTES) {
    return `PUBLIC_URL is too long: addresses of metadata have to fit into ${MAX_URI_BYTES} bytes.`;
  }
  const [configAccount, ...others] = await readAccounts(connection, [
    config,
    ...[...PROGRAMS.map(({ id }) => id), ...DAMM_V2_CONFIGS].map((one) => new PublicKey(one)),
  ]);
  const missing = missingOf(others);
  if (missing !== null) return missing;
  if (!configAccount) return `DBC_CONFIG ${config} is not on this cluster. ${CREATE_ONE}`;
  const decoded = orNull(() => readAccount(dbc, "PoolConfig", configAccount));
  if (!decoded) return `DBC_CONFIG ${config} ${otherKind(configAccount)}. ${CREATE_ONE}`;
  onConfig(decoded);
  const problem = (await quoteProblem(connection, decoded.quoteMint)) ?? curveProblem(decoded);
  if (problem) return `DBC_CONFIG ${config} ${problem}. ${CREATE_ONE}`;
  const dammConfig = others[PROGRAMS.length + decoded.migrationFeeOption];
  const address = DAMM_V2_CONFIGS[decoded.migrationFeeOption];
  if (!dammConfig) {
    return `The DAMM v2 config ${address}, under which pools migrate, is not on this cluster. Check RPC_URL.`;
  }
  const quoteOnly = takesQuoteOnly(decoded, dammConfig);
  if (quoteOnly === null)
    return `The account ${address} is not a config of DAMM v2. Check RPC_URL.`;
  if (quoteOnly) return null;
  return `DBC_CONFIG ${config} takes fees in other tokens than SOL after migration. ${CREATE_ONE}`;
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

function orNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** @returns why agents' tokens cannot launch on a curve, as the end of a sentence, or null */
function curveProblem(config: CurveConfig): string | null {
  if (config.migrationOption !== TO_DAMM_V2) return "does not migrate to DAMM v2";
  if (config.collectFeeMode !== QUOTE_TOKEN) {
    return "takes fees in other tokens than SOL";
  }
  if (config.creatorTradingFeePercentage === 0) return "leaves the agents no trading fees";
  if (!creatorHasPosition(config)) {
    return "leaves the agents no liquidity, so that they earn nothing after migration";
  }
  return null;
}

/** @returns what an account is instead of a config, as the end of a sentence */
function otherKind({ owner, data }: AccountInfo<Buffer>): string {
  const kind = owner.toBase58() === dbc.id ? kindOfAccount(dbc, data) : null;
  if (kind === "ConfigWithTransferHook") {
    return "is a ConfigWithTransferHook, whose pools are of the kind TransferHookPool: tokend launches and claims none of these";
  }
  const known = kind === null || kind === "PoolConfig" ? "" : `, but a ${kind}`;
  return `is not a config of Dynamic Bonding Curve${known}`;
}

/** @returns why a curve does not trade against SOL, as the end of a sentence; null if it does */
async function quoteProblem(connection: Connection, quoteMint: string): Promise<string | null> {
  if (quoteMint === WRAPPED_SOL_MINT) return null;
  const badge = new PublicKey(builder.derived(dbc.id, "token_badge", quoteMint));
  const [account] = await readAccounts(connection, [badge]);
  const admitted = account ? `, which the TokenBadge ${badge} admits` : "";
  return `trades against another token than SOL: ${quoteMint}${admitted}`;
}

/** Whether pools take only SOL after migration; null if Meteora's config is unreadable. */
function takesQuoteOnly(
  { migrationFeeOption, migratedCollectFeeMode }: CurveConfig,
  dammConfig: AccountInfo<Buffer>,
): boolean | null {
  if (migrationFeeOption === CUSTOMIZABLE) {
    return migratedCollectFeeMode === QUOTE_TOKEN;
  }
  const config = orNull(() => readAccount(dammV2, "Config", dammConfig));
  return config && config.collectFeeMode === ONLY_B;
}
