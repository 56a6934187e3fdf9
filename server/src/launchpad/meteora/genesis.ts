import {
  BaseFeeMode,
  bpsToFeeNumerator,
  CollectFeeMode,
  CP_AMM_PROGRAM_ID,
  cpAmmCoder,
  derivePoolAuthority,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
} from "@meteora-ag/cp-amm-sdk";
import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  deriveDbcPoolAuthority,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { PublicKey, SystemProgram } from "@solana/web3.js";
import BN from "bn.js";
import { FIXED_BPS } from "./pool-terms.ts";

/** The lamports of each pool authority: they advance rent while they migrate pools. */
const AUTHORITY_LAMPORTS = 10_000_000_000n;

/** Shares of the trading fee, in percent, as in DAMM v2's public configurations. */
const PROTOCOL_FEE_PERCENT = 20;
const REFERRAL_FEE_PERCENT = 20;

/** Values of the fields `activation_type` and `config_type` of a DAMM v2 `Config` account. */
const ACTIVATION_BY_TIMESTAMP = 1;
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

/** Writes what Meteora has on real clusters: two pool authorities, and the configs of DAMM v2. */
export async function writeMeteoraGenesis(chain: GenesisChain): Promise<void> {
  for (const authority of [deriveDbcPoolAuthority(), derivePoolAuthority()]) {
    if (chain.getAccount(authority) !== null) continue;
    chain.setAccount(authority, { lamports: AUTHORITY_LAMPORTS, owner: SystemProgram.programId });
  }
  for (const [option, address] of DAMM_V2_MIGRATION_FEE_ADDRESS.entries()) {
    if (chain.getAccount(address) !== null) continue;
    const data = await encodeConfig(option);
    const lamports = chain.rentExemption(data.length);
    chain.setAccount(address, { lamports, owner: CP_AMM_PROGRAM_ID, data });
  }
}

/** A DAMM v2 configuration that only the bonding curve program may use. */
async function encodeConfig(option: MigrationFeeOption): Promise<Uint8Array> {
  const baseFee = cpAmmCoder.types.encode("PodAlignedFeeTimeScheduler", {
    cliff_fee_numerator: bpsToFeeNumerator(FIXED_BPS[option] ?? 0),
    base_fee_mode: BaseFeeMode.FeeTimeSchedulerLinear,
    padding: Array(5).fill(0),
    number_of_period: 0,
    period_frequency: new BN(0),
    reduction_factor: new BN(0),
  });
  const noDynamicFee = {
    initialized: 0,
    padding: Array(7).fill(0),
    max_volatility_accumulator: 0,
    variable_fee_control: 0,
    bin_step: 0,
    filter_period: 0,
    decay_period: 0,
    reduction_factor: 0,
    padding_1: Array(8).fill(0),
    bin_step_u128: new BN(0),
  };
  return cpAmmCoder.accounts.encode("Config", {
    vault_config_key: PublicKey.default,
    pool_creator_authority: deriveDbcPoolAuthority(),
    pool_fees: {
      base_fee: { data: [...baseFee] },
      dynamic_fee: noDynamicFee,
      protocol_fee_percent: PROTOCOL_FEE_PERCENT,
      padding_0: 0,
      referral_fee_percent: REFERRAL_FEE_PERCENT,
      padding_1: Array(3).fill(0),
      compounding_fee_bps: 0,
      padding_2: zeros(5),
    },
    activation_type: ACTIVATION_BY_TIMESTAMP,
    collect_fee_mode: CollectFeeMode.OnlyB,
    config_type: option === MigrationFeeOption.Customizable ? CONFIG_DYNAMIC : CONFIG_STATIC,
    _padding_0: Array(5).fill(0),
    index: new BN(option),
    sqrt_min_price: MIN_SQRT_PRICE,
    sqrt_max_price: MAX_SQRT_PRICE,
    permission: new BN(0),
    _padding_1: zeros(8),
  });
}

function zeros(count: number): BN[] {
  return Array.from({ length: count }, () => new BN(0));
}
