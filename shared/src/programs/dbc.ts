import { WRAPPED_SOL_MINT } from "../payout.ts";
import { all } from "./codec.ts";
import * as ids from "./ids.ts";
import { at, type Program, pda } from "./program.ts";

const vault = (mint: string, pool: string) => pda(ids.DBC, "token_vault", mint, pool);

/** The last accounts of every instruction, which Anchor's events require. */
const END = { eventAuthority: at(ids.DBC_EVENT_AUTHORITY), program: at(ids.DBC) } as const;
const QUOTE_END = { tokenQuoteProgram: at(ids.TOKEN), ...END } as const;
/** The accounts of a pool for a trade or a fee payment. */
const MARKET = {
  baseVault: vault("baseMint", "pool"),
  quoteVault: vault("quoteMint", "pool"),
  baseMint: "",
  quoteMint: at(WRAPPED_SOL_MINT),
} as const;
const CREATED = {
  config: "",
  poolAuthority: at(ids.DBC_POOL_AUTHORITY),
  creator: "s",
  baseMint: "ws",
  quoteMint: at(WRAPPED_SOL_MINT),
  pool: "w",
  baseVault: vault("baseMint", "pool"),
  quoteVault: vault("quoteMint", "pool"),
} as const;
const LIQUIDITY_VESTING_TERMS = {
  vestingPercentage: "u8",
  ...all("u16", "bpsPerPeriod numberOfPeriods"),
  ...all("u32", "cliffDurationFromMigrationTime frequency"),
} as const;
const LIQUIDITY_VESTING = {
  ...all("u8", "isInitialized vestingPercentage"),
  _padding: ["bytes", 2],
  ...all("u16", "bpsPerPeriod numberOfPeriods"),
  ...all("u32", "frequency cliffDurationFromMigrationTime"),
} as const;
/** The content of `migratedPoolBaseFeeBytes` if the fee falls as the price rises. */
export const MARKET_CAP_SCHEDULE = {
  ...all("u16", "numberOfPeriod sqrtPriceStepBps"),
  schedulerExpirationDuration: "u32",
  reductionFactor: "u64",
} as const;
const POINT = { ...all("u128", "sqrtPrice liquidity") } as const;
const TEXTS = { ...all("string", "name symbol uri") } as const;

/** Meteora's Dynamic Bonding Curve. Source: its IDL 0.2.1. */
export const dbc = {
  id: ids.DBC,
  name: "Dynamic Bonding Curve",
  instructions: {
    initialize_virtual_pool_with_spl_token: {
      tag: [140, 85, 215, 176, 102, 54, 104, 79],
      args: TEXTS,
      accounts: {
        ...CREATED,
        mintMetadata: pda(ids.TOKEN_METADATA, "metadata", "metadataProgram", "baseMint"),
        metadataProgram: at(ids.TOKEN_METADATA),
        payer: "ws",
        tokenQuoteProgram: at(ids.TOKEN),
        tokenProgram: at(ids.TOKEN),
        systemProgram: at(ids.SYSTEM),
        ...END,
      },
    },
    initialize_virtual_pool_with_token2022: {
      tag: [169, 118, 51, 78, 145, 110, 220, 155],
      args: TEXTS,
      accounts: {
        ...CREATED,
        payer: "ws",
        tokenQuoteProgram: at(ids.TOKEN),
        tokenProgram: at(ids.TOKEN_2022),
        systemProgram: at(ids.SYSTEM),
        ...END,
      },
    },
    swap: {
      tag: [248, 198, 158, 145, 225, 117, 135, 200],
      args: { ...all("u64", "amountIn minimumAmountOut") },
      accounts: {
        poolAuthority: at(ids.DBC_POOL_AUTHORITY),
        config: "",
        ...all("w", "pool inputTokenAccount outputTokenAccount"),
        ...MARKET,
        payer: "s",
        tokenBaseProgram: "",
        tokenQuoteProgram: at(ids.TOKEN),
        referralTokenAccount: "?w",
        ...END,
      },
    },
    claim_creator_trading_fee: {
      tag: [82, 220, 250, 189, 3, 85, 107, 45],
      args: { ...all("u64", "maxBaseAmount maxQuoteAmount") },
      accounts: {
        poolAuthority: at(ids.DBC_POOL_AUTHORITY),
        ...all("w", "pool tokenAAccount tokenBAccount"),
        ...MARKET,
        creator: "s",
        tokenBaseProgram: "",
        ...QUOTE_END,
      },
    },
    claim_trading_fee: {
      tag: [8, 236, 89, 49, 152, 125, 177, 81],
      args: { ...all("u64", "maxAmountA maxAmountB") },
      accounts: {
        poolAuthority: at(ids.DBC_POOL_AUTHORITY),
        config: "",
        ...all("w", "pool tokenAAccount tokenBAccount"),
        ...MARKET,
        feeClaimer: "s",
        tokenBaseProgram: "",
        ...QUOTE_END,
      },
    },
    claim_partner_pool_creation_fee: {
      tag: [250, 238, 26, 4, 139, 10, 101, 248],
      args: {},
      accounts: { config: "", pool: "w", feeClaimer: "s", feeReceiver: "w", ...END },
    },
    partner_withdraw_surplus: {
      tag: [168, 173, 72, 100, 201, 98, 38, 92],
      args: {},
      accounts: {
        poolAuthority: at(ids.DBC_POOL_AUTHORITY),
        config: "",
        ...all("w", "virtualPool tokenQuoteAccount"),
        quoteVault: vault("quoteMint", "virtualPool"),
        quoteMint: at(WRAPPED_SOL_MINT),
        feeClaimer: "s",
        ...QUOTE_END,
      },
    },
    transfer_pool_creator: {
      tag: [20, 7, 169, 33, 58, 147, 166, 33],
      args: {},
      accounts: { virtualPool: "w", config: "", creator: "s", newCreator: "", ...END },
    },
    create_config: {
      tag: [201, 207, 243, 114, 75, 111, 47, 189],
      args: {
        poolFees: {
          baseFee: {
            cliffFeeNumerator: "u64",
            firstFactor: "u16",
            ...all("u64", "secondFactor thirdFactor"),
            baseFeeMode: "u8",
          },
          dynamicFee: [
            "option",
            {
              binStep: "u16",
              binStepU128: "u128",
              ...all("u16", "filterPeriod decayPeriod reductionFactor"),
              ...all("u32", "maxVolatilityAccumulator variableFeeControl"),
            },
          ],
        },
        ...all("u8", "collectFeeMode migrationOption activationType tokenType tokenDecimal"),
        ...all("u8", "partnerLiquidityPercentage partnerPermanentLockedLiquidityPercentage"),
        ...all("u8", "creatorLiquidityPercentage creatorPermanentLockedLiquidityPercentage"),
        migrationQuoteThreshold: "u64",
        sqrtStartPrice: "u128",
        lockedVesting: {
          ...all("u64", "amountPerPeriod cliffDurationFromMigrationTime frequency numberOfPeriod"),
          cliffUnlockAmount: "u64",
        },
        migrationFeeOption: "u8",
        tokenSupply: [
          "option",
          { ...all("u64", "preMigrationTokenSupply postMigrationTokenSupply") },
        ],
        ...all("u8", "creatorTradingFeePercentage tokenUpdateAuthority"),
        migrationFee: { ...all("u8", "feePercentage creatorFeePercentage") },
        migratedPoolFee: { ...all("u8", "collectFeeMode dynamicFee"), poolFeeBps: "u16" },
        poolCreationFee: "u64",
        partnerLiquidityVestingInfo: LIQUIDITY_VESTING_TERMS,
        creatorLiquidityVestingInfo: LIQUIDITY_VESTING_TERMS,
        migratedPoolBaseFeeMode: "u8",
        migratedPoolMarketCapFeeSchedulerParams: MARKET_CAP_SCHEDULE,
        enableFirstSwapWithMinFee: "bool",
        compoundingFeeBps: "u16",
        _padding: ["bytes", 2],
        curve: ["vec", POINT],
      },
      accounts: {
        config: "ws",
        ...all("", "feeClaimer leftoverReceiver"),
        quoteMint: at(WRAPPED_SOL_MINT),
        payer: "ws",
        systemProgram: at(ids.SYSTEM),
        ...END,
      },
    },
    migration_damm_v2: {
      tag: [156, 169, 230, 103, 53, 228, 80, 64],
      args: {},
      accounts: {
        virtualPool: "w",
        migrationMetadata: { ...pda(ids.DBC, "damm_v2", "virtualPool"), role: "" },
        config: "",
        poolAuthority: at(ids.DBC_POOL_AUTHORITY, "w"),
        pool: "w",
        firstPositionNftMint: "ws",
        firstPositionNftAccount: pda(ids.DAMM_V2, "position_nft_account", "firstPositionNftMint"),
        firstPosition: pda(ids.DAMM_V2, "position", "firstPositionNftMint"),
        secondPositionNftMint: "?ws",
        ...all("?w", "secondPositionNftAccount secondPosition"),
        dammPoolAuthority: at(ids.DAMM_V2_POOL_AUTHORITY),
        ammProgram: at(ids.DAMM_V2),
        baseMint: "w",
        quoteMint: at(WRAPPED_SOL_MINT, "w"),
        tokenAVault: pda(ids.DAMM_V2, "token_vault", "baseMint", "pool"),
        tokenBVault: pda(ids.DAMM_V2, "token_vault", "quoteMint", "pool"),
        baseVault: vault("baseMint", "virtualPool"),
        quoteVault: vault("quoteMint", "virtualPool"),
        payer: "ws",
        tokenBaseProgram: "",
        tokenQuoteProgram: at(ids.TOKEN),
        token2022Program: at(ids.TOKEN_2022),
        dammEventAuthority: at(ids.DAMM_V2_EVENT_AUTHORITY),
        systemProgram: at(ids.SYSTEM),
      },
    },
  },
  accounts: {
    PoolConfig: {
      tag: [26, 108, 14, 123, 116, 230, 129, 43],
      // Earlier versions stored the protocol's and the referral's percentages here.
      formerly: ["_padding1"],
      fields: {
        ...all("pubkey", "quoteMint feeClaimer leftoverReceiver"),
        poolFees: {
          baseFee: {
            ...all("u64", "cliffFeeNumerator secondFactor thirdFactor"),
            firstFactor: "u16",
            baseFeeMode: "u8",
            _padding0: ["bytes", 5],
          },
          dynamicFee: {
            initialized: "u8",
            _padding: ["bytes", 7],
            ...all("u32", "maxVolatilityAccumulator variableFeeControl"),
            ...all("u16", "binStep filterPeriod decayPeriod reductionFactor"),
            _padding2: ["bytes", 8],
            binStepU128: "u128",
          },
        },
        partnerLiquidityVestingInfo: LIQUIDITY_VESTING,
        creatorLiquidityVestingInfo: LIQUIDITY_VESTING,
        _padding0: ["bytes", 14],
        _padding1: ["bytes", 2],
        ...all(
          "u8",
          "collectFeeMode migrationOption activationType tokenDecimal version tokenType",
        ),
        ...all("u8", "quoteTokenFlag partnerPermanentLockedLiquidityPercentage"),
        ...all("u8", "partnerLiquidityPercentage creatorPermanentLockedLiquidityPercentage"),
        ...all("u8", "creatorLiquidityPercentage migrationFeeOption fixedTokenSupplyFlag"),
        ...all("u8", "creatorTradingFeePercentage tokenUpdateAuthority migrationFeePercentage"),
        creatorMigrationFeePercentage: "u8",
        _padding2: ["bytes", 7],
        ...all("u64", "swapBaseAmount migrationQuoteThreshold migrationBaseThreshold"),
        migrationSqrtPrice: "u128",
        lockedVestingConfig: {
          ...all("u64", "amountPerPeriod cliffDurationFromMigrationTime frequency numberOfPeriod"),
          cliffUnlockAmount: "u64",
          _padding: ["bytes", 8],
        },
        ...all("u64", "preMigrationTokenSupply postMigrationTokenSupply"),
        ...all("u8", "migratedCollectFeeMode migratedDynamicFee"),
        migratedPoolFeeBps: "u16",
        ...all("u8", "migratedPoolBaseFeeMode enableFirstSwapWithMinFee"),
        migratedCompoundingFeeBps: "u16",
        poolCreationFee: "u64",
        migratedPoolBaseFeeBytes: ["bytes", 16],
        sqrtStartPrice: "u128",
        curve: ["array", POINT, 20],
      },
    },
    VirtualPool: {
      tag: [213, 224, 5, 209, 98, 69, 119, 92],
      fields: {
        volatilityTracker: {
          lastUpdateTimestamp: "u64",
          _padding: ["bytes", 8],
          ...all("u128", "sqrtPriceReference volatilityAccumulator volatilityReference"),
        },
        ...all("pubkey", "config creator baseMint baseVault quoteVault"),
        ...all("u64", "baseReserve quoteReserve protocolBaseFee protocolQuoteFee partnerBaseFee"),
        partnerQuoteFee: "u64",
        sqrtPrice: "u128",
        activationPoint: "u64",
        ...all("u8", "poolType isMigrated isPartnerWithdrawSurplus isProtocolWithdrawSurplus"),
        ...all("u8", "migrationProgress isWithdrawLeftover isCreatorWithdrawSurplus"),
        migrationFeeWithdrawStatus: "u8",
        metrics: {
          ...all("u64", "totalProtocolBaseFee totalProtocolQuoteFee totalTradingBaseFee"),
          totalTradingQuoteFee: "u64",
        },
        ...all("u64", "finishCurveTimestamp creatorBaseFee creatorQuoteFee"),
        ...all("u8", "legacyCreationFeeBits creationFeeBits hasSwap"),
        _padding0: ["bytes", 5],
        protocolLiquidityMigrationFeeBps: "u16",
        _padding1: ["bytes", 6],
        ...all("u64", "protocolMigrationBaseFeeAmount protocolMigrationQuoteFeeAmount"),
        _padding2: ["bytes", 24],
      },
    },
  },
  errors: {
    6002: "the curve gives fewer tokens than the least that was asked for",
    6005: "the amount is 0",
    6012: "the curve has too few tokens left",
    6013: "the curve is complete already",
    6022: "the wallet may not do this",
    6033: "the first buy is larger than the curve can fill",
    6053: "the wallet may not do this",
  },
} as const satisfies Program;
