import { tokensFor } from "@tokenctl/shared/curve";
import { TOKEN_DECIMALS } from "@tokenctl/shared/limits";
import {
  baseFeeAfter,
  curvePoints,
  FEE_DENOMINATOR,
  firstBuyFee,
  RATE_LIMITER,
  unsoldBy,
} from "@tokenctl/shared/programs/curve-terms";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { LaunchCheck, LaunchRequest } from "@tokenctl/shared/types";
import { InvalidArgumentError } from "../errors.ts";
import type { CallOptions, FirstBuyQuote, QuoteOptions } from "../options.ts";
import { type ReadConfig, readConfig } from "./cluster.ts";
import type { Settings } from "./settings.ts";

const SLIPPAGE_PERCENT = 2;
/** Percent of a first buy that the partner of a config which only the server names may get. */
const MOST_TAKEN = 10;
/** The last option of `token_update_authority` by which the partner makes no tokens. */
const CREATOR_MINTS = 3;

export async function quoteFirstBuy(
  { rpc, maySandbox }: Settings,
  check: (request: LaunchRequest, call: CallOptions) => Promise<LaunchCheck>,
  request: LaunchRequest,
  { expectedConfig, ...call }: QuoteOptions,
): Promise<FirstBuyQuote> {
  const { firstBuySOL } = request;
  if (firstBuySOL === undefined) throw new InvalidArgumentError("The request has no firstBuySOL");
  const { payment, fees, curve } = await check(request, call);
  const config = expectedConfig ?? payment?.config ?? null;
  const read = rpc && config !== null ? await readConfig(rpc.until(call.signal), config) : null;
  const { firstBuyBps, startBps = 0 } = fees?.bondingCurve ?? {};
  const told = fees && curve && { knots: curve, fee: (firstBuyBps ?? startBps) / 10_000 };
  const of = read ? curveOf(read) : maySandbox && told;
  if (!of) {
    throw new InvalidArgumentError("Nothing shows the token's curve", {
      hint: "Set rpcUrl or firstBuyMinTokens",
    });
  }
  const greed = read && expectedConfig === undefined ? greedOf(read) : null;
  if (greed !== null) {
    const hint = "If you accept that, set expectedConfig, or in tokenctl firstBuyMinTokens";
    throw new InvalidArgumentError(`The partner of the config ${config} ${greed}`, { hint });
  }
  const tokens = tokensFor(of.knots, firstBuySOL * (1 - of.fee));
  if (tokens === null || tokens < 0 || !Number.isFinite(tokens)) {
    const most = (of.knots.at(-1)?.raisedSOL ?? 0) / (1 - of.fee);
    throw new InvalidArgumentError(`The curve sells tokens for at most ${most} SOL`);
  }
  const least = tokens * (1 - SLIPPAGE_PERCENT / 100);
  return { tokens: textOf(tokens), minTokens: textOf(least), config };
}

/** Returns what a config's partner can get if that is too much: of the trade, or afterwards. */
export function greedOf(of: ReadConfig): string | null {
  // A sale pays the fee too. `tokend` makes no config whose fee falls for more than a week: here in slots
  // of 400 ms, or in seconds. In shorter slots it is less time, which refuses more.
  const atSale = baseFeeAfter(of, [1_512_000n, 604_800n][of.activationType] ?? 0n);
  const [first = 1, later = 1] = [firstBuyFee(of), atSale].map(fraction);
  const trade = Math.max(first, later) * (100 - of.creatorTradingFeePercentage);
  const migration = (of.migrationFeePercentage * (100 - of.creatorMigrationFeePercentage)) / 100;
  const liquidity =
    of.partnerLiquidityPercentage + of.partnerLiquidityVestingInfo.vestingPercentage;
  const all = of.fixedTokenSupplyFlag === 1 ? of.postMigrationTokenSupply : 0n;
  const left = all - of.swapBaseAmount - unsoldBy(of);
  // Tokens that it sells into the pool, or makes and sells on the curve.
  const tokens = left > 0n ? Number((100n * left) / (left + of.migrationBaseThreshold)) : 0;
  const made = of.tokenUpdateAuthority > CREATOR_MINTS ? 100 : 0;
  const taken = Math.min(100, Math.round(trade + migration + liquidity + tokens + made));
  return taken > MOST_TAKEN ? `can get ${taken} % of what a first buy pays` : null;
}

/** Returns the fee as a fraction; null if it depends on the amount. */
function curveOf(config: ReadConfig) {
  const fee = config.poolFees.baseFee.baseFeeMode === RATE_LIMITER ? null : firstBuyFee(config);
  if (fee === null) return null;
  const root = (sqrtPrice: bigint) => Number(sqrtPrice) / 2 ** 64;
  const knots = curvePoints(config).map(({ raised, sqrtPrice }) => ({
    raisedSOL: lamportsToSol(raised),
    priceSOL: (root(sqrtPrice) ** 2 * 10 ** config.tokenDecimal) / 1e9,
  }));
  return { knots, fee: fraction(fee) };
}

const fraction = (fee: bigint | null) => Number(fee ?? FEE_DENOMINATOR) / Number(FEE_DENOMINATOR);

function textOf(tokens: number): string {
  const units = BigInt(Math.floor(tokens * 10 ** TOKEN_DECIMALS));
  const digits = units.toString().padStart(TOKEN_DECIMALS + 1, "0");
  return `${digits.slice(0, -TOKEN_DECIMALS)}.${digits.slice(-TOKEN_DECIMALS)}`;
}
