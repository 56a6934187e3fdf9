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
  MAX_POOL_CREATION_FEE,
  MIN_FEE_BPS,
  MIN_POOL_CREATION_FEE,
  MigratedCollectFeeMode,
  MigrationFeeOption,
  MigrationOption,
  TokenAuthorityOption,
  TokenDecimal,
  validateConfigParameters,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import { sizeOf } from "@tokenctl/shared/programs/codec";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import type { Args } from "@tokenctl/shared/programs/program";
import { formatSol } from "@tokenctl/shared/sol";
import BN from "bn.js";
import { generateKeypair } from "../../base/native-keys.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { type ConfigTerms, TOKEN_STANDARDS, type TokenStandard } from "./config-terms.ts";
import { launchPrice } from "./launch.ts";
import { instruction } from "./programs.ts";

/** In the order of DBC's token types. */
const TOKEN_PROGRAMS: Readonly<Record<TokenStandard, string>> = {
  spl: TOKEN,
  "token-2022": TOKEN_2022,
};

const TOTAL_SUPPLY = 1_000_000_000;

/**
 * The instructions that create a DBC config on chain. What is not the creator's share goes to the
 * launch wallet, which is the config's partner. A config can never be changed.
 *
 * @throws {RangeError} the terms are outside their ranges, or result in no curve
 */
export function createConfig(
  launchWallet: PublicKey,
  terms: ConfigTerms,
): LaunchInstructions & { readonly config: PublicKey } {
  const config = generateKeypair();
  const wallet = launchWallet.toBase58();
  const parameters = configParameters(terms);
  validateConfigParameters({ ...parameters, leftoverReceiver: launchWallet });
  const given = {
    config: config.publicKey.toBase58(),
    feeClaimer: wallet,
    leftoverReceiver: wallet,
    payer: wallet,
  };
  const args = plain(parameters) as Args<typeof dbc, "create_config">;
  const create = instruction(dbc, "create_config", given, args);
  return { config: config.publicKey, instructions: [create], signers: [config] };
}

/** Their numbers are of a library; ours are bigints. */
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

/** The terms as the builder of DBC's SDK takes them. */
export function curveTerms(terms: ConfigTerms): BuildCurveWithMarketCapParams {
  const { feeBps, creatorShare } = terms;
  return {
    initialMarketCap: terms.initialMarketCap,
    migrationMarketCap: terms.migrationMarketCap,
    activationType: ActivationType.Timestamp,
    token: {
      tokenType: TOKEN_STANDARDS.indexOf(terms.tokenStandard),
      tokenBaseDecimal: TokenDecimal.SIX,
      tokenQuoteDecimal: TokenDecimal.NINE,
      tokenAuthorityOption: TokenAuthorityOption.Immutable,
      totalTokenSupply: TOTAL_SUPPLY,
      leftover: 0,
    },
    fee: {
      baseFeeParams: {
        baseFeeMode: BaseFeeMode.FeeSchedulerLinear,
        feeSchedulerParam: {
          startingFeeBps: feeBps,
          endingFeeBps: feeBps,
          numberOfPeriod: 0,
          totalDuration: 0,
        },
      },
      dynamicFeeEnabled: false,
      collectFeeMode: CollectFeeMode.QuoteToken,
      creatorTradingFeePercentage: creatorShare,
      poolCreationFee: 0,
      enableFirstSwapWithMinFee: false,
    },
    migration: {
      migrationOption: MigrationOption.MET_DAMM_V2,
      // The fixed options take the fee and its token from a config that Meteora made.
      migrationFeeOption: MigrationFeeOption.Customizable,
      migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
      migratedPoolFee: {
        collectFeeMode: MigratedCollectFeeMode.QuoteToken,
        dynamicFee: DammV2DynamicFeeMode.Disabled,
        poolFeeBps: Math.min(feeBps, MAX_MIGRATED_POOL_FEE_BPS),
      },
    },
    liquidityDistribution: {
      creatorPermanentLockedLiquidityPercentage: creatorShare,
      creatorLiquidityPercentage: 0,
      partnerPermanentLockedLiquidityPercentage: 100 - creatorShare,
      partnerLiquidityPercentage: 0,
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

function assertTerms(terms: ConfigTerms): void {
  const { feeBps, creatorShare, initialMarketCap, migrationMarketCap, creationLamports } = terms;
  if (!Number.isInteger(feeBps) || feeBps < MIN_FEE_BPS || feeBps > MAX_FEE_BPS) {
    throw new RangeError(`the fee is ${feeBps} bps; it can be ${MIN_FEE_BPS} to ${MAX_FEE_BPS}`);
  }
  if (!Number.isInteger(creatorShare) || creatorShare < 1 || creatorShare > 100) {
    throw new RangeError(`the creator share is ${creatorShare} %; it can be 1 to 100`);
  }
  if (!(initialMarketCap > 0) || !(migrationMarketCap > initialMarketCap)) {
    throw new RangeError(
      `the market cap goes from ${initialMarketCap} to ${migrationMarketCap} SOL; ` +
        "it has to start above 0 and end higher",
    );
  }
  const isFee =
    creationLamports >= MIN_POOL_CREATION_FEE && creationLamports <= MAX_POOL_CREATION_FEE;
  if (!isFee && creationLamports !== 0n) {
    throw new RangeError(
      `the creation fee is ${formatSol(creationLamports)} SOL; it can be 0, or 0.001 to 100`,
    );
  }
}

/** Bytes of a name, a symbol and a short URI. */
const TEXT_BYTES = 96;

/** @param fee lamports that the network takes for a launch's two signatures */
export function launchCost(
  terms: Pick<ConfigTerms, "tokenStandard" | "creationLamports">,
  { rentPerByte, fee }: { readonly rentPerByte: bigint; readonly fee: bigint },
): bigint {
  const price = launchPrice(TOKEN_PROGRAMS[terms.tokenStandard], TEXT_BYTES, false);
  const creationLamports = price.creationLamports + terms.creationLamports;
  const { rentBytes } = price;
  return creationLamports + fee + rentBytes * rentPerByte;
}

/** With which every account of the program begins. */
const TAG_BYTES = 8;

/**
 * @param fee lamports that the network takes for the config's transaction
 * @returns what the wallet holds, and about what a config needs; null if it can pay
 */
export async function configShortage(
  connection: Connection,
  wallet: PublicKey,
  fee: bigint,
): Promise<string | null> {
  const size = TAG_BYTES + sizeOf(dbc.accounts.PoolConfig.fields);
  const [balance, rent, walletRent] = (
    await Promise.all([
      connection.getBalance(wallet),
      connection.getMinimumBalanceForRentExemption(size),
      connection.getMinimumBalanceForRentExemption(0),
    ])
  ).map(BigInt) as [bigint, bigint, bigint];
  const cost = rent + fee;
  const left = balance - cost;
  if (left === 0n || left >= walletRent) return null;
  return (
    `The launch wallet ${wallet} holds ${formatSol(balance)} SOL and needs about ` +
    `${formatSol(cost + walletRent)} SOL for a config: send SOL to it.`
  );
}
