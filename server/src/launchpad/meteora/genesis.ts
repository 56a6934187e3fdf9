import { PublicKey, SystemProgram } from "@solana/web3.js";
import { encode } from "@tokenctl/shared/programs/codec";
import {
  CUSTOMIZABLE,
  FEE_DENOMINATOR,
  FIXED_BPS,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
} from "@tokenctl/shared/programs/curve-terms";
import { dammV2, TIME_SCHEDULER } from "@tokenctl/shared/programs/damm-v2";
import * as ids from "@tokenctl/shared/programs/ids";

/** Lamports of each pool authority, which advances rent while it migrates pools. */
const AUTHORITY_LAMPORTS = 10_000_000_000n;

/** Shares of the trading fee, in percent, as in DAMM v2's public configurations. */
const PROTOCOL_FEE_PERCENT = 20;
const REFERRAL_FEE_PERCENT = 20;

/** Values of the fields `activation_type` and `config_type` of a DAMM v2 `Config` account. */
const ACTIVATION_BY_TIMESTAMP = 1;
/** `collect_fee_mode`: fees are in the pool's second token, which is wrapped SOL. */
const FEES_IN_SOL = 1;
/** `base_fee_mode`: a schedule by time, here without steps. */
const LINEAR_BY_TIME = 0;
const CONFIG_STATIC = 0;
const CONFIG_DYNAMIC = 1;

interface GenesisChain {
  getAccount(address: PublicKey): unknown;
  setAccount(
    address: PublicKey,
    account: { readonly lamports: bigint; readonly owner: PublicKey; readonly data?: Uint8Array },
  ): void;
  rentExemption(bytes: number): bigint;
}

/** Writes Meteora's accounts of real clusters: two pool authorities, and DAMM v2's configs. */
export async function writeMeteoraGenesis(chain: GenesisChain): Promise<void> {
  const owner = new PublicKey(dammV2.id);
  for (const authority of [ids.DBC_POOL_AUTHORITY, ids.DAMM_V2_POOL_AUTHORITY]) {
    const address = new PublicKey(authority);
    if (chain.getAccount(address) !== null) continue;
    chain.setAccount(address, { lamports: AUTHORITY_LAMPORTS, owner: SystemProgram.programId });
  }
  for (const [option, config] of ids.DAMM_V2_CONFIGS.entries()) {
    const address = new PublicKey(config);
    if (chain.getAccount(address) !== null) continue;
    const data = encodeConfig(option);
    chain.setAccount(address, { lamports: chain.rentExemption(data.length), owner, data });
  }
}

/** A DAMM v2 configuration that only the bonding curve program may use. */
function encodeConfig(option: number): Uint8Array {
  const baseFee = {
    cliffFeeNumerator: (BigInt(FIXED_BPS[option] ?? 0) * FEE_DENOMINATOR) / 10_000n,
    baseFeeMode: LINEAR_BY_TIME,
    numberOfPeriod: 0,
    periodFrequency: 0n,
    reductionFactor: 0n,
  };
  const noDynamicFee = {
    initialized: 0,
    maxVolatilityAccumulator: 0,
    variableFeeControl: 0,
    binStep: 0,
    filterPeriod: 0,
    decayPeriod: 0,
    reductionFactor: 0,
    binStepU128: 0n,
  };
  const { tag, fields } = dammV2.accounts.Config;
  const config = encode(fields, {
    vaultConfigKey: ids.SYSTEM,
    poolCreatorAuthority: ids.DBC_POOL_AUTHORITY,
    poolFees: {
      baseFee: encode(TIME_SCHEDULER, baseFee),
      dynamicFee: noDynamicFee,
      protocolFeePercent: PROTOCOL_FEE_PERCENT,
      referralFeePercent: REFERRAL_FEE_PERCENT,
      compoundingFeeBps: 0,
    },
    activationType: ACTIVATION_BY_TIMESTAMP,
    collectFeeMode: FEES_IN_SOL,
    configType: option === CUSTOMIZABLE ? CONFIG_DYNAMIC : CONFIG_STATIC,
    index: BigInt(option),
    sqrtMinPrice: MIN_SQRT_PRICE,
    sqrtMaxPrice: MAX_SQRT_PRICE,
    permission: 0n,
  });
  return Uint8Array.from([...tag, ...config]);
}
