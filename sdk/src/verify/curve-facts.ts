import {
  type CurveConfig,
  pooledWith,
  soldUpTo,
  TO_DAMM_V2,
  unsoldBy,
  vestedBy,
} from "@tokenctl/shared/programs/curve-terms";
import { formatSol } from "@tokenctl/shared/sol";
import type { CurvePool } from "../internal/chain-accounts.ts";
import { costs, type Finding, percent, percentage, safe, unknown } from "./facts.ts";

/** Returns how a config and its curve divide a token's supply and the SOL that the curve raises. */
export function curveFacts(config: CurveConfig, pool: CurvePool) {
  const used = config.swapBaseAmount + unsoldBy(config);
  // The migration burns the rest, which may be nearly all that was made.
  const supply = config.fixedTokenSupplyFlag === 1 ? config.postMigrationTokenSupply : used;
  const fee = formatSol(config.poolCreationFee);
  const creation = fee === "0" ? "none" : `the launch paid ${fee} SOL besides rent`;
  return [
    curve(config, supply),
    costs("creation_fee", Number(fee), creation),
    migrationFee(config, pool),
    surplus(config, pool),
    vesting(config, supply),
    leftover(config, used),
  ];
}

function curve(config: CurveConfig, supply: bigint): Finding {
  const { migrationQuoteThreshold: raise, migrationSqrtPrice, sqrtStartPrice } = config;
  const fee = (raise * BigInt(config.migrationFeePercentage)) / 100n;
  const [first, all] = [soldUpTo(config, raise / 10n), soldUpTo(config, raise)];
  const isSum =
    all.left === 0n &&
    all.sqrtPrice === migrationSqrtPrice &&
    all.sold === config.swapBaseAmount &&
    pooledWith(config, raise - fee) === config.migrationBaseThreshold;
  if (!isSum) return unknown("curve", "its prices and amounts do not add up");
  const times = Number((100n * migrationSqrtPrice ** 2n) / sqrtStartPrice ** 2n) / 100;
  const text = `sells ${percent(all.sold, supply)} of all tokens for ${formatSol(raise)} SOL, at a price that rises to ${times} times the first; its first tenth of the SOL buys ${percent(first.sold, supply)} of all tokens`;
  return costs("curve", percentage(first.sold, supply), text);
}

function migrationFee(config: CurveConfig, pool: CurvePool): Finding {
  const { migrationFeePercentage: fee, creatorMigrationFeePercentage: creator } = config;
  if (fee > 99 || creator > 100)
    return unknown("migration_fee", `${fee} %, ${creator} % of it for the creator`);
  const protocol = pool.protocolLiquidityMigrationFeeBps;
  const rest = 100 - fee;
  const kept = Number((fee + (rest * protocol) / 10_000).toFixed(4));
  const whose = fee === 0 ? "" : `, ${fee} % for creator (${creator} % of it) and partner`;
  const text = `${kept} % of the SOL raised is not put into the pool: ${protocol / 100} % of the liquidity for the protocol${whose}`;
  return costs("migration_fee", kept, kept === 0 ? "none" : text);
}

function surplus({ migrationQuoteThreshold: raise }: CurveConfig, pool: CurvePool): Finding {
  const more = pool.quoteReserve - raise;
  if (more <= 0n) return safe("surplus", "none");
  const text = `${formatSol(more)} SOL more than the migration needs, for creator, partner and protocol`;
  return costs("surplus", percentage(more, raise), text);
}

function vesting({ lockedVestingConfig }: CurveConfig, supply: bigint): Finding {
  const { amountPerPeriod, numberOfPeriod, frequency, cliffUnlockAmount } = lockedVestingConfig;
  const total = vestedBy({ lockedVestingConfig });
  if (total === 0n) return safe("vesting", "none: all tokens are bought");
  const after = lockedVestingConfig.cliffDurationFromMigrationTime;
  const text = `${percent(total, supply)} of all tokens go to the creator: ${percent(cliffUnlockAmount, supply)} ${after} s after the migration, then ${numberOfPeriod} times ${percent(amountPerPeriod, supply)} every ${frequency} s`;
  // A share too small to show still costs something.
  return costs("vesting", Math.max(percentage(total, supply), 0.01), text);
}

function leftover(config: CurveConfig, used: bigint): Finding {
  const { fixedTokenSupplyFlag: flag, leftoverReceiver } = config;
  if (flag === 0)
    return safe("leftover", "none: tokens that are neither sold nor in the pool are burned");
  if (flag !== 1) return unknown("leftover", `a supply in the way ${flag}`);
  const { preMigrationTokenSupply: before, postMigrationTokenSupply: after } = config;
  if (after > before || used > after) return unknown("leftover", "its amounts do not add up");
  if (after === used) return safe("leftover", "none: all tokens are sold, in the pool or burned");
  const text = `${percent(after - used, after)} of all tokens go to ${leftoverReceiver} after the migration; ${percent(before - after, before)} of those made are burned`;
  return costs("leftover", percentage(after - used, after), text);
}

const FIRST_THAT_MINTS = 3;
/** Who may change a token and make more of it, by the config's `token_update_authority`. */
const AUTHORITIES = [
  "the creator may change name and document",
  "no wallet may change or make tokens",
  "the partner may change name and document",
  "the creator may change name and document, and make tokens",
  "the partner may change name and document, and make tokens",
];

export function tokenAuthority(config: CurveConfig, isGone: boolean): Finding {
  const option = config.tokenUpdateAuthority;
  const text = AUTHORITIES[option];
  if (text === undefined) return unknown("token_authority", `the option ${option}`);
  const words = `under its config ${text}`;
  // A supply does not tell: as many as were burned may have been made.
  if (option >= FIRST_THAT_MINTS) return unknown("token_authority", `how many were made; ${words}`);
  return safe("token_authority", option !== 1 && isGone ? `${words}; that was given up` : words);
}

type Vesting = CurveConfig["creatorLiquidityVestingInfo"];

export function plannedLock(config: CurveConfig): Finding {
  const { migrationOption, feeClaimer } = config;
  const where = `the curve migrates in the way ${migrationOption}, not to DAMM v2`;
  if (migrationOption !== TO_DAMM_V2) return unknown("locked_liquidity", where);
  const owners = [
    {
      whose: "the creator",
      locked: config.creatorPermanentLockedLiquidityPercentage,
      free: config.creatorLiquidityPercentage,
      vesting: config.creatorLiquidityVestingInfo,
    },
    {
      whose: `the partner ${feeClaimer}`,
      locked: config.partnerPermanentLockedLiquidityPercentage,
      free: config.partnerLiquidityPercentage,
      vesting: config.partnerLiquidityVestingInfo,
    },
  ];
  let all = 0;
  for (const { locked, free, vesting } of owners) {
    const { isInitialized, ...terms } = vesting;
    const isKnown = isInitialized === (Object.values(terms).some((value) => value !== 0) ? 1 : 0);
    all += isKnown ? locked + free + vesting.vestingPercentage : Number.NaN;
  }
  if (all !== 100) return unknown("locked_liquidity", "its parts do not add up");
  const planned = lockedPercent(config);
  const shares = owners.map(({ whose, locked }) => `${locked} % for ${whose}`);
  const others = owners.flatMap(({ whose, free, vesting }) => [
    ...(free > 0 ? [`${free} % can be withdrawn by ${whose} at once`] : []),
    ...(vesting.vestingPercentage > 0 ? [`${vestingText(vesting)} by ${whose}`] : []),
  ]);
  const text = `${planned} % of the liquidity will be locked permanently at migration: ${[...shares, ...others].join(", ")}`;
  return costs("locked_liquidity", 100 - planned, text);
}

function vestingText(vesting: Vesting): string {
  const { vestingPercentage, cliffDurationFromMigrationTime, bpsPerPeriod } = vesting;
  const { numberOfPeriods, frequency } = vesting;
  return `${vestingPercentage} % can be withdrawn from ${cliffDurationFromMigrationTime} s after it, in ${numberOfPeriods} steps of ${bpsPerPeriod / 100} % every ${frequency} s,`;
}

export const lockedPercent = (config: CurveConfig): number =>
  config.creatorPermanentLockedLiquidityPercentage +
  config.partnerPermanentLockedLiquidityPercentage;
