import {
  ActivationType,
  BaseFeeMode,
  type BuildCurveWithMarketCapParams,
  buildCurveWithMarketCap,
  CollectFeeMode,
  type ConfigParameters,
  DammV2DynamicFeeMode,
  MAX_FEE_BPS,
  MAX_MIGRATED_POOL_FEE_BPS,
  MIN_FEE_BPS,
  MigratedCollectFeeMode,
  MigrationFeeOption,
  MigrationOption,
  TokenAuthorityOption,
  TokenDecimal,
  validateConfigParameters,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { PublicKey } from "@solana/web3.js";
import { sizeOf } from "@tokenctl/shared/programs/codec";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { Args } from "@tokenctl/shared/programs/program";
import { launchPrice } from "@tokenctl/shared/programs/recipes";
import BN from "bn.js";
import { generateKeypair } from "../../base/native-keys.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { type ConfigTerms, TOKEN_STANDARDS, type TokenStandard } from "./config-terms.ts";
import type { ConfigFees } from "./pool-terms.ts";
import { instruction, tokenProgramOf } from "./programs.ts";

const TOTAL_SUPPLY = 1_000_000_000;

/** The standards are in the order of DBC's token types. */
const tokenTypeOf = (standard: TokenStandard) => TOKEN_STANDARDS.indexOf(standard);

/**
 * Returns the instructions that create a DBC config, which can never change. Everything except the
 * creator's share goes to the launch wallet, the config's partner.
 * @throws {RangeError} if the terms are outside their ranges, or result in no curve
 */
export function createConfig(
  launchWallet: PublicKey,
  terms: ConfigTerms,
): LaunchInstructions & { readonly config: PublicKey } {
  const config = generateKeypair();
  const parameters = configParameters(terms);
  validateConfigParameters({ ...parameters, leftoverReceiver: launchWallet });
  const wallet = launchWallet.toBase58();
  const create = instruction(
    dbc,
    "create_config",
    {
      config: config.publicKey.toBase58(),
      feeClaimer: wallet,
      leftoverReceiver: wallet,
      payer: wallet,
    },
    plain(parameters) as Args<typeof dbc, "create_config">,
  );
  return { config: config.publicKey, instructions: [create], signers: [config] };
}

/** Converts the numbers of Meteora's library to bigints. */
function plain(value: unknown): unknown {
  if (BN.isBN(value)) return BigInt(`${value}`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(plain) : value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

/**
 * Translates the terms into DBC's parameters: fees only in SOL, liquidity locked permanently,
 * tokens of 6 decimals whose mint and metadata can never change.
 */
export function configParameters(terms: ConfigTerms): ConfigParameters {
  assertTerms(terms);
  const parameters = buildCurveWithMarketCap(curveTerms(terms));
  return { ...parameters, poolCreationFee: new BN(`${terms.creationLamports}`) };
}

export function curveTerms(terms: ConfigTerms): BuildCurveWithMarketCapParams {
  const { feeBps, creatorShare, dynamicFee, vestingShare, vestingDays } = terms;
  return {
    initialMarketCap: terms.initialMarketCap,
    migrationMarketCap: terms.migrationMarketCap,
    // A schedule in seconds does not change when the duration of a slot changes.
    activationType: ActivationType.Timestamp,
    token: {
      tokenType: tokenTypeOf(terms.tokenStandard),
      tokenBaseDecimal: TokenDecimal.SIX,
      tokenQuoteDecimal: TokenDecimal.NINE,
      tokenAuthorityOption: TokenAuthorityOption.Immutable,
      totalTokenSupply: TOTAL_SUPPLY,
      leftover: 0,
    },
    fee: {
      baseFeeParams: baseFee(terms),
      dynamicFeeEnabled: dynamicFee,
      collectFeeMode: CollectFeeMode.QuoteToken,
      creatorTradingFeePercentage: creatorShare,
      poolCreationFee: 0,
      enableFirstSwapWithMinFee: terms.firstBuyAtLowestFee,
    },
    migration: {
      migrationOption: MigrationOption.MET_DAMM_V2,
      // The fixed options would take the fee and its token from one of Meteora's configs.
      migrationFeeOption: MigrationFeeOption.Customizable,
      migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
      migratedPoolFee: {
        collectFeeMode: MigratedCollectFeeMode.QuoteToken,
        dynamicFee: dynamicFee ? DammV2DynamicFeeMode.Enabled : DammV2DynamicFeeMode.Disabled,
        poolFeeBps: Math.min(feeBps, MAX_MIGRATED_POOL_FEE_BPS),
      },
    },
    liquidityDistribution: {
      creatorPermanentLockedLiquidityPercentage: creatorShare - vestingShare,
      creatorLiquidityPercentage: 0,
      partnerPermanentLockedLiquidityPercentage: 100 - creatorShare,
      partnerLiquidityPercentage: 0,
      ...(vestingShare > 0 && {
        creatorLiquidityVestingInfoParams: {
          vestingPercentage: vestingShare,
          // The first day's part includes the remainder of the division.
          bpsPerPeriod: Math.floor(10_000 / vestingDays),
          numberOfPeriods: vestingDays - 1,
          cliffDurationFromMigrationTime: DAY_SECONDS,
          totalDuration: (vestingDays - 1) * DAY_SECONDS,
        },
      }),
    },
    lockedVesting: {
      totalLockedVestingAmount: 0,
      numberOfVestingPeriod: 0,
      cliffUnlockAmount: 0,
      totalVestingDuration: 0,
      cliffDurationFromMigrationTime: 0,
    },
  };
}

const DAY_SECONDS = 86_400;
/** With this many linear steps, a fee of whole hundredths of a percent is reached exactly. */
const MOST_STEPS = 100;

function baseFee({ feeBps, startFeeBps, fallSeconds, fallShape }: ConfigTerms) {
  const isFlat = startFeeBps === 0;
  const every = Math.ceil(fallSeconds / MOST_STEPS);
  const steps = isFlat ? 0 : Math.ceil(fallSeconds / every);
  const isLinear = isFlat || fallShape === "linear";
  return {
    baseFeeMode: isLinear ? BaseFeeMode.FeeSchedulerLinear : BaseFeeMode.FeeSchedulerExponential,
    feeSchedulerParam: {
      startingFeeBps: isFlat ? feeBps : startFeeBps,
      endingFeeBps: feeBps,
      numberOfPeriod: steps,
      totalDuration: steps * every,
    },
  } as const;
}

/** Returns the fees and liquidity that a config with these terms will have on chain. */
export function feesUnder(terms: ConfigTerms): ConfigFees {
  const made = plain(configParameters(terms)) as Args<typeof dbc, "create_config">;
  const { baseFee, dynamicFee } = made.poolFees;
  const initialized = Number(dynamicFee !== null);
  return {
    ...made,
    migratedPoolFeeBps: made.migratedPoolFee.poolFeeBps,
    enableFirstSwapWithMinFee: Number(made.enableFirstSwapWithMinFee),
    poolFees: { baseFee, dynamicFee: { ...(dynamicFee ?? NO_DYNAMIC_FEE), initialized } },
  };
}

const NO_DYNAMIC_FEE = { binStep: 0, maxVolatilityAccumulator: 0, variableFeeControl: 0 };

/** Checks what DBC's SDK does not check, or reports without a useful message. */
function assertTerms(terms: ConfigTerms): void {
  const { feeBps, creatorShare, initialMarketCap, migrationMarketCap } = terms;
  const { startFeeBps, fallSeconds, vestingShare } = terms;
  const range = (what: string, value: number, unit: string, [least, most]: [number, number]) => {
    if (Number.isInteger(value) && value >= least && value <= most) return;
    throw new RangeError(`the ${what} is ${value}${unit}; it can be ${least} to ${most}`);
  };
  range("fee", feeBps, " bps", [MIN_FEE_BPS, MAX_FEE_BPS]);
  range("creator share", creatorShare, " %", [1, 100]);
  if (startFeeBps !== 0) {
    range("first fee", startFeeBps, " bps", [feeBps + 1, MAX_FEE_BPS]);
    range("time in which it falls", fallSeconds, " s", [1, MOST_FALL_SECONDS]);
  }
  if (vestingShare !== 0) {
    range("vesting share", vestingShare, " %", [1, Math.min(creatorShare, MOST_VESTING)]);
  }
  if (!(initialMarketCap > 0) || !(migrationMarketCap > initialMarketCap)) {
    throw new RangeError(
      `the market cap goes from ${initialMarketCap} to ${migrationMarketCap} SOL; ` +
        "it has to start above 0 and end higher",
    );
  }
}

/** A week: a fee that falls more slowly is no protection. */
const MOST_FALL_SECONDS = 7 * DAY_SECONDS;
/** The program locks a tenth; source: `MIN_LOCKED_LIQUIDITY_BPS`. */
const MOST_VESTING = 90;

/** Bytes of a name, a symbol and a short URI. */
const TEXT_BYTES = 96;

/** @param fee the network fee of a launch's two signatures, in lamports */
export function launchCost(
  { tokenStandard, creationLamports }: Pick<ConfigTerms, "tokenStandard" | "creationLamports">,
  { rentPerByte, fee }: { readonly rentPerByte: bigint; readonly fee: bigint },
): bigint {
  const price = launchPrice(tokenProgramOf(tokenTypeOf(tokenStandard)), TEXT_BYTES, false);
  return price.metadataLamports + creationLamports + fee + price.rentBytes * rentPerByte;
}

export const CONFIG_BYTES = 8 + sizeOf(dbc.accounts.PoolConfig.fields);
