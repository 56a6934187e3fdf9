import { WRAPPED_SOL_MINT } from "../payout.ts";
import { all } from "./codec.ts";
import * as ids from "./ids.ts";
import { at, type Program, pda } from "./program.ts";

const VESTING = {
  ...all("u64", "cliffPoint periodFrequency"),
  ...all("u128", "cliffUnlockLiquidity liquidityPerPeriod totalReleasedLiquidity"),
  numberOfPeriod: "u16",
  _padding: ["bytes", 14],
} as const;
const REWARD = {
  ...all("u8", "initialized rewardTokenFlag"),
  _padding0: ["bytes", 6],
  deadLiquidityRewardCheckpoint: "u64",
  ...all("pubkey", "mint vault funder"),
  ...all("u64", "rewardDuration rewardDurationEnd"),
  rewardRate: "u128",
  rewardPerTokenStored: "u256",
  ...all("u64", "lastUpdateTime cumulativeSecondsWithEmptyLiquidityReward"),
} as const;

/** The content of `baseFee` if the base fee falls with time or is constant. */
export const TIME_SCHEDULER = {
  cliffFeeNumerator: "u64",
  baseFeeMode: "u8",
  _padding: ["bytes", 5],
  numberOfPeriod: "u16",
  ...all("u64", "periodFrequency reductionFactor"),
} as const;

/** The content of `baseFeeInfo` if the base fee falls as the price rises. */
export const MARKET_CAP_SCHEDULER = {
  cliffFeeNumerator: "u64",
  baseFeeMode: "u8",
  _padding: ["bytes", 5],
  numberOfPeriod: "u16",
  ...all("u32", "sqrtPriceStepBps schedulerExpirationDuration"),
  reductionFactor: "u64",
} as const;

/** Meteora's DAMM v2. Source: its IDL 0.2.5. */
export const dammV2 = {
  id: ids.DAMM_V2,
  name: "DAMM v2",
  instructions: {
    claim_position_fee: {
      tag: [180, 38, 154, 17, 133, 33, 162, 211],
      args: {},
      accounts: {
        poolAuthority: at(ids.DAMM_V2_POOL_AUTHORITY),
        pool: "",
        ...all("w", "position tokenAAccount tokenBAccount"),
        tokenAVault: pda(ids.DAMM_V2, "token_vault", "tokenAMint", "pool"),
        tokenBVault: pda(ids.DAMM_V2, "token_vault", "tokenBMint", "pool"),
        tokenAMint: "",
        tokenBMint: at(WRAPPED_SOL_MINT),
        positionNftAccount: "",
        signer: "s",
        tokenAProgram: "",
        tokenBProgram: at(ids.TOKEN),
        eventAuthority: at(ids.DAMM_V2_EVENT_AUTHORITY),
        program: at(ids.DAMM_V2),
      },
    },
    refresh_vesting: {
      tag: [9, 94, 216, 14, 116, 204, 247, 0],
      args: {},
      accounts: { pool: "", position: "w", ...all("", "positionNftAccount owner") },
    },
  },
  accounts: {
    Config: {
      tag: [155, 12, 170, 224, 30, 250, 204, 130],
      fields: {
        ...all("pubkey", "vaultConfigKey poolCreatorAuthority"),
        poolFees: {
          baseFee: ["bytes", 32],
          dynamicFee: {
            initialized: "u8",
            _padding: ["bytes", 7],
            ...all("u32", "maxVolatilityAccumulator variableFeeControl"),
            ...all("u16", "binStep filterPeriod decayPeriod reductionFactor"),
            _padding1: ["bytes", 8],
            binStepU128: "u128",
          },
          protocolFeePercent: "u8",
          _padding0: ["bytes", 1],
          referralFeePercent: "u8",
          _padding1: ["bytes", 3],
          compoundingFeeBps: "u16",
          _padding2: ["bytes", 40],
        },
        ...all("u8", "activationType collectFeeMode configType"),
        _padding0: ["bytes", 5],
        index: "u64",
        ...all("u128", "sqrtMinPrice sqrtMaxPrice permission"),
        _padding1: ["bytes", 64],
      },
    },
    Pool: {
      tag: [241, 154, 109, 4, 17, 177, 109, 188],
      // Earlier versions stored a partner, reserves and the partner's fees here.
      formerly: ["_padding0", "_padding1", "_padding2"],
      fields: {
        poolFees: {
          baseFee: { baseFeeInfo: ["bytes", 32], _padding1: ["bytes", 8] },
          protocolFeePercent: "u8",
          _padding0: ["bytes", 1],
          referralFeePercent: "u8",
          _padding1: ["bytes", 3],
          compoundingFeeBps: "u16",
          dynamicFee: {
            initialized: "u8",
            _padding: ["bytes", 7],
            ...all("u32", "maxVolatilityAccumulator variableFeeControl"),
            ...all("u16", "binStep filterPeriod decayPeriod reductionFactor"),
            lastUpdateTimestamp: "u64",
            ...all(
              "u128",
              "binStepU128 sqrtPriceReference volatilityAccumulator volatilityReference",
            ),
          },
          initSqrtPrice: "u128",
        },
        ...all("pubkey", "tokenAMint tokenBMint tokenAVault tokenBVault whitelistedVault"),
        _padding0: ["bytes", 32],
        liquidity: "u128",
        _padding1: ["bytes", 16],
        ...all("u64", "protocolAFee protocolBFee deadLiquidityFeeCheckpoint"),
        _padding2: ["bytes", 8],
        ...all("u128", "sqrtMinPrice sqrtMaxPrice sqrtPrice"),
        activationPoint: "u64",
        ...all("u8", "activationType poolStatus tokenAFlag tokenBFlag collectFeeMode poolType"),
        feeVersion: "u8",
        _padding3: ["bytes", 1],
        ...all("u256", "feeAPerLiquidity feeBPerLiquidity"),
        permanentLockLiquidity: "u128",
        metrics: {
          ...all("u128", "totalLpAFee totalLpBFee"),
          ...all("u64", "totalProtocolAFee totalProtocolBFee"),
          _padding0: ["bytes", 16],
          totalPosition: "u64",
          _padding: ["bytes", 8],
        },
        creator: "pubkey",
        ...all("u64", "tokenAAmount tokenBAmount"),
        layoutVersion: "u8",
        _padding4: ["bytes", 7],
        _padding5: ["bytes", 24],
        rewardInfos: ["array", REWARD, 2],
      },
    },
    Position: {
      tag: [170, 188, 143, 228, 122, 64, 247, 208],
      fields: {
        ...all("pubkey", "pool nftMint"),
        ...all("u256", "feeAPerTokenCheckpoint feeBPerTokenCheckpoint"),
        ...all("u64", "feeAPending feeBPending"),
        ...all("u128", "unlockedLiquidity vestedLiquidity permanentLockedLiquidity"),
        metrics: { ...all("u64", "totalClaimedAFee totalClaimedBFee") },
        rewardInfos: [
          "array",
          { rewardPerTokenCheckpoint: "u256", ...all("u64", "rewardPendings totalClaimedRewards") },
          2,
        ],
        innerVesting: VESTING,
        delegatePermission: "u32",
        _padding: ["bytes", 12],
      },
    },
  },
  errors: {},
} as const satisfies Program;
