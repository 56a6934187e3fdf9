import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  BaseFeeMode,
  type BuildCurveWithMarketCapParams,
  buildCurveWithMarketCap,
  type ConfigParameters,
  DammV2BaseFeeMode,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT } from "@solana/spl-token";
import { offsetOf, type Struct, sizeOf, type Type } from "@tokenctl/shared/programs/codec";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { type FactTerms, TOKEN_FACTS } from "@tokenctl/shared/token-facts";
import type { FactName, TokenProof } from "@tokenctl/shared/types";
import fc from "fast-check";
import { FACT_RULES } from "../../scripts/fact-rules.ts";
import { verifyToken } from "../../sdk/src/verify-token.ts";
import { DEFAULT_CONFIG_TERMS } from "../../server/src/launchpad/meteora/config-terms.ts";
import { curveTerms } from "../../server/src/launchpad/meteora/create-config.ts";
import {
  openCluster,
  type TimedCluster,
} from "../../server/src/launchpad/meteora/testing/cluster.ts";
import {
  launch,
  makeConfig,
  programFor,
  SOL,
  type TestToken,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy, migrate } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { type Account, type Forgery, forgingFetch, NODE } from "./forging-node.ts";

/** Fields that count what has happened: fees, trades and rewards of the past. No fact depends on them. */
const COUNTERS: Readonly<Record<string, string>> = {
  VirtualPool:
    "volatilityTracker baseReserve protocolBaseFee protocolQuoteFee partnerBaseFee partnerQuoteFee sqrtPrice isPartnerWithdrawSurplus isProtocolWithdrawSurplus isWithdrawLeftover isCreatorWithdrawSurplus migrationFeeWithdrawStatus metrics finishCurveTimestamp creatorBaseFee creatorQuoteFee legacyCreationFeeBits creationFeeBits hasSwap protocolMigrationBaseFeeAmount protocolMigrationQuoteFeeAmount",
  Pool: "protocolAFee protocolBFee deadLiquidityFeeCheckpoint sqrtPrice feeAPerLiquidity feeBPerLiquidity metrics tokenAAmount tokenBAmount rewardInfos",
  Position:
    "feeAPerTokenCheckpoint feeBPerTokenCheckpoint feeAPending feeBPending metrics rewardInfos",
};

setDefaultTimeout(ON_CHAIN_MS);

const rules = Object.entries(FACT_RULES);
const limits: Readonly<Record<string, FactTerms>> = TOKEN_FACTS;

/** Every number, address and list of a layout, as `poolFees.baseFee.cliffFeeNumerator`. */
function leavesOf(struct: Struct, at = 0): { path: string; offset: number; type: Type }[] {
  return Object.entries(struct).flatMap(([name, type]) => {
    const offset = at + offsetOf(struct, name);
    if (name.startsWith("_")) return [];
    if (typeof type !== "object" || Array.isArray(type)) return [{ path: name, offset, type }];
    return leavesOf(type as Struct, offset).map((leaf) => ({
      ...leaf,
      path: `${name}.${leaf.path}`,
    }));
  });
}

const covers = (fields: string | undefined, path: string) =>
  fields?.split(" ").some((field) => path === field || path.startsWith(`${field}.`)) ?? false;

test.each<[string, Struct]>([
  ["PoolConfig", dbc.accounts.PoolConfig.fields],
  ["VirtualPool", dbc.accounts.VirtualPool.fields],
  ["Pool", dammV2.accounts.Pool.fields],
  ["Position", dammV2.accounts.Position.fields],
])("the table of facts names every field of a %s once", (kind, fields) => {
  for (const { path } of leavesOf(fields)) {
    const named = rules
      .filter(([, { reads }]) => covers(reads?.[kind], path))
      .map(([name]) => name);
    if (covers(COUNTERS[kind], path)) named.push("COUNTERS");
    expect([path, named.length]).toEqual([path, 1]);
  }
});

const USUAL = curveTerms({ ...DEFAULT_CONFIG_TERMS, tokenStandard: "spl", creatorShare: 70 });

type Terms = BuildCurveWithMarketCapParams;
/** Changes of the usual terms, and of the parameters that DBC's SDK makes of them. */
interface Made {
  readonly terms?: (usual: Terms) => Partial<Terms>;
  readonly parameters?: (made: ConfigParameters) => Partial<ConfigParameters>;
}

const fees = (fee: Partial<Terms["fee"]>): Made => ({
  terms: (usual) => ({ fee: { ...usual.fee, ...fee } }),
});
const poolFees = (fee: Partial<NonNullable<Terms["migration"]["migratedPoolFee"]>>): Made => ({
  terms: ({ migration }) => ({
    migration: {
      ...migration,
      migratedPoolFee: { ...migration.migratedPoolFee, ...fee } as never,
    },
  }),
});
const liquidity = (shares: Partial<Terms["liquidityDistribution"]>): Made => ({
  terms: (usual) => ({ liquidityDistribution: { ...usual.liquidityDistribution, ...shares } }),
});
const token = (change: Partial<Terms["token"]>): Made => ({
  terms: (usual) => ({ token: { ...usual.token, ...change } }),
});
const SCHEDULE = {
  baseFeeMode: BaseFeeMode.FeeSchedulerExponential,
  feeSchedulerParam: {
    startingFeeBps: 5_000,
    endingFeeBps: 100,
    numberOfPeriod: 10,
    totalDuration: 600,
  },
} as const;
const VESTING = {
  vestingPercentage: 20,
  bpsPerPeriod: 1_000,
  numberOfPeriods: 10,
  cliffDurationFromMigrationTime: 86_400,
  // The build of DAMM v2 that tests find refuses more than 438,000 s with the cliff.
  totalDuration: 345_600,
};
const LOCKED = {
  totalLockedVestingAmount: 500_000_000,
  numberOfVestingPeriod: 10,
  cliffUnlockAmount: 100_000_000,
  totalVestingDuration: 1_000,
  cliffDurationFromMigrationTime: 60,
};

const FALLING = {
  baseFeeMode: DammV2BaseFeeMode.FeeMarketCapSchedulerLinear,
  marketCapFeeSchedulerParams: {
    endingBaseFeeBps: 50,
    numberOfPeriod: 10,
    priceMultiple: 4,
    schedulerExpirationDuration: 5_000,
  },
};

/** Each option, set alone: the fact that shows it, with its cost, and its words. */
const options: readonly [string, Made, readonly [FactName, number | null], RegExp][] = [
  [
    "a migration fee of 99 %",
    { parameters: () => ({ migrationFee: { feePercentage: 99, creatorFeePercentage: 40 } }) },
    ["migration_fee", 99.002],
    /99 % for creator \(40 % of it\) and partner/,
  ],
  [
    "half of the supply vesting",
    { terms: () => ({ lockedVesting: LOCKED }) },
    ["vesting", 50],
    /^50 % of all tokens go to the creator: 10 % 60 s after the migration, then 10 times 4 % every 100 s/,
  ],
  [
    "half of the supply left over",
    token({ leftover: 500_000_000 }),
    ["leftover", 50],
    /^50 % of all tokens go to \w+ after the migration/,
  ],
  [
    "half of what is left of a supply, which is mostly burned",
    {
      ...token({ leftover: 500_000_000 }),
      parameters: ({ tokenSupply }) => ({
        tokenSupply: tokenSupply && {
          ...tokenSupply,
          preMigrationTokenSupply: tokenSupply.preMigrationTokenSupply.muln(10_000),
        },
      }),
    },
    ["leftover", 50],
    /^50 % of all tokens go to \w+ after the migration; 99\.99 % of those made are burned/,
  ],
  [
    "a fee that falls from 50 to 1 %",
    fees({ baseFeeParams: SCHEDULE }),
    ["curve_fees", 50],
    /^50 %, later 1 %, in 10 exponential steps of 60 s \(\d+\) of each trade/,
  ],
  [
    "a first buy that is spared the schedule",
    fees({ baseFeeParams: SCHEDULE, enableFirstSwapWithMinFee: true }),
    ["first_buy", 49],
    /^pays only the lowest fee, 1 %/,
  ],
  [
    "a fee that follows volatility",
    fees({ dynamicFeeEnabled: true }),
    ["curve_fees", 1.1998],
    /^1 %, and up to 0\.1998 % more while the price moves \(filter 10 s, decay 120 s, 50 % kept\),/,
  ],
  [
    "fees in both tokens",
    fees({ collectFeeMode: 1 }),
    ["curve_fees", 1],
    /of each trade, in SOL or in the token;/,
  ],
  [
    "the highest fee in the pool, and volatility's",
    poolFees({ poolFeeBps: 1_000, dynamicFee: 1 }),
    ["pool_fees", 12],
    /^10 %, and up to 2 % more/,
  ],
  [
    "a fee that falls with the price",
    poolFees(FALLING),
    ["pool_fees", 1],
    /^1 %, later 0\.5 %, in 10 linear steps \(500000\) as the root of the price rises/,
  ],
  [
    "fees that stay in the pool",
    poolFees({ collectFeeMode: 2, compoundingFeeBps: 3_000 }),
    ["pool_fees", 1],
    /30 % of it for the pool/,
  ],
  [
    "a fixed fee of 6 %",
    {
      terms: ({ migration: { migratedPoolFee: _, ...migration } }) => ({
        migration: { ...migration, migrationFeeOption: MigrationFeeOption.FixedBps600 },
      }),
    },
    ["pool_fees", 6],
    /^6 % of each trade/,
  ],
  [
    "liquidity that can be withdrawn, at once or over time",
    liquidity({
      creatorPermanentLockedLiquidityPercentage: 50,
      creatorLiquidityPercentage: 20,
      partnerPermanentLockedLiquidityPercentage: 10,
      partnerLiquidityVestingInfoParams: VESTING,
    }),
    ["locked_liquidity", 40],
    /^60 % .* 20 % can be withdrawn by the creator at once, 20 % can be withdrawn from 86400 s after it, in 10 steps of 10 % every 34560 s, by the partner/,
  ],
  ["a fee of 2 SOL for a launch", fees({ poolCreationFee: 2 }), ["creation_fee", 2], /2 SOL/],
  [
    "a creator who may change the token",
    token({ tokenAuthorityOption: 0 }),
    ["update_authority", 1],
    /may change name/,
  ],
  ["nine decimals", token({ tokenBaseDecimal: 9 }), ["token", null], /SPL Token, 9 decimals/],
  [
    "a curve whose first tenth buys nearly all",
    {
      parameters: ({ curve, sqrtStartPrice, migrationQuoteThreshold }) => ({
        tokenSupply: null,
        curve: [
          { sqrtPrice: sqrtStartPrice.muln(2), liquidity: curve[0]?.liquidity.divn(20) as never },
          {
            sqrtPrice: sqrtStartPrice.muln(200),
            liquidity: curve[0]?.liquidity.divn(400) as never,
          },
        ],
        migrationQuoteThreshold: migrationQuoteThreshold.divn(4),
      }),
    },
    ["curve", 97.37],
    /its first tenth of the SOL buys 97\.37 %/,
  ],
];

describeMeteora("a token made on the real programs", () => {
  let cluster: TimedCluster;
  let plain: Awaited<ReturnType<typeof made>>;
  beforeAll(async () => {
    cluster = await openCluster();
    plain = await made({});
  });

  async function made({ terms, parameters }: Made, quoteMint = NATIVE_MINT) {
    const wallet = cluster.wallet(100n * SOL);
    const built = buildCurveWithMarketCap({ ...USUAL, ...terms?.(USUAL) });
    const changed = { ...built, ...parameters?.(built) };
    const config = await makeConfig(cluster, wallet, changed, quoteMint);
    const program = programFor(cluster, wallet, config);
    const creator = cluster.wallet(SOL);
    const ref = await launch({ cluster, program, config, launchWallet: wallet }, creator.publicKey);
    return { ...ref, config };
  }

  function proofOf(
    { mint, pool }: TestToken,
    atMost = {},
    accounts: Forgery["accounts"] = {},
  ): Promise<TokenProof> {
    const fetch = forgingFetch(cluster.chain, { accounts });
    return verifyToken(String(mint), { rpcUrl: NODE, pool: String(pool), fetch, atMost });
  }

  const lengthen = (it: Account) => {
    it.data = Buffer.concat([it.data, Buffer.of(1)]);
  };
  const failedOf = ({ facts }: TokenProof) => facts.filter(({ passes }) => !passes);
  const named = ({ facts }: TokenProof, name: string) => facts.find((fact) => fact.name === name);

  test("on the usual terms passes", async () => {
    expect((await proofOf(plain)).passed).toBe(true);
  });

  test.each(options)("shows %s", async (_, option, [name, amount], text) => {
    const ref = await made(option);
    const proof = await proofOf(ref);
    const fact = named(proof, name);
    const verdict = amount === null ? "safe" : "costs";
    const passes = amount === null || amount <= (limits[name]?.cost?.atMost ?? 0);
    expect(fact).toMatchObject({ verdict, passes, text: expect.stringMatching(text) });
    expect(fact?.cost?.amount ?? null).toBe(amount);
    const failed = failedOf(proof);
    if (passes) return expect(failed).toEqual([]);
    // A caller who accepts just what it costs lets it pass.
    const atMost = Object.fromEntries(failed.map((one) => [one.name, one.cost?.amount]));
    expect((await proofOf(ref, atMost)).passed).toBe(true);
  });

  const all: Made = {
    terms: (usual) => ({
      token: { ...usual.token, leftover: 100_000_000, tokenAuthorityOption: 0 },
      fee: {
        ...usual.fee,
        baseFeeParams: SCHEDULE,
        dynamicFeeEnabled: true,
        collectFeeMode: 1,
        poolCreationFee: 2,
        enableFirstSwapWithMinFee: true,
      },
      migration: {
        ...usual.migration,
        migrationFee: { feePercentage: 20, creatorFeePercentage: 40 },
        migratedPoolFee: { ...FALLING, collectFeeMode: 0, dynamicFee: 1, poolFeeBps: 100 },
      },
      liquidityDistribution: {
        creatorPermanentLockedLiquidityPercentage: 30,
        creatorLiquidityPercentage: 10,
        creatorLiquidityVestingInfoParams: VESTING,
        partnerPermanentLockedLiquidityPercentage: 10,
        partnerLiquidityPercentage: 10,
        partnerLiquidityVestingInfoParams: VESTING,
      },
      lockedVesting: LOCKED,
    }),
  };

  test("with every option set shows what each costs, before and after its migration", async () => {
    expect(named(await proofOf(await made(all)), "vesting")?.passes).toBe(false);
    // Tokens that vest need the program Locker, which this chain has not.
    const { lockedVesting } = USUAL;
    const ref = await made({ terms: (usual) => ({ ...all.terms?.(usual), lockedVesting }) });
    const before = await proofOf(ref);
    const costly = [
      ...["update_authority", "curve_fees", "first_buy", "creation_fee", "migration_fee"],
      ...["leftover", "locked_liquidity"],
    ];
    expect(failedOf(before).map(({ name }) => String(name))).toEqual(costly);
    const trader = cluster.wallet(20_000n * SOL);
    await buy(cluster.connection, { pool: ref.pool, trader }, 19_000n * SOL);
    await migrate(cluster.connection, ref.pool, trader);
    const after = await proofOf(ref);
    expect(after.liquidityPoolAddress).not.toBeNull();
    expect(failedOf(after).map(({ name }) => String(name))).toEqual(costly);
    for (const name of costly) {
      expect([name, named(after, name)?.verdict]).toEqual([name, "costs"]);
    }
    // The pool itself says what the config planned.
    const planned = named(before, "pool_fees")?.cost?.amount ?? 0;
    expect(named(after, "pool_fees")?.cost?.amount).toBeCloseTo(planned, 3);
    const { tag, fields } = dammV2.accounts.Pool;
    const switchOff = ({ data }: Account) =>
      void data.writeUInt8(1, tag.length + offsetOf(fields, "poolStatus"));
    for (const [change, name, text] of [
      [switchOff, "pool", "it is switched off"],
      [lengthen, "locked_liquidity", "whose meaning is not known"],
    ] as const) {
      const forged = await proofOf(ref, {}, { [after.liquidityPoolAddress ?? ""]: change });
      const fact = { verdict: "unknown", passes: false, text: expect.stringContaining(text) };
      expect(named(forged, name)).toMatchObject(fact);
    }
  });

  test("whose curve holds more SOL than its migration needs costs that", async () => {
    const { tag, fields } = dbc.accounts.VirtualPool;
    const add = ({ data }: Account) =>
      void data.writeBigUInt64LE(1_000_000n * SOL, tag.length + offsetOf(fields, "quoteReserve"));
    const proof = await proofOf(plain, {}, { [String(plain.pool)]: add });
    expect(named(proof, "surplus")).toMatchObject({ verdict: "costs", passes: false });
    expect(named(proof, "pool")?.text).toContain("; it is sold out, and waits for its migration");
  });

  test.each([
    ["the usual terms", {}],
    ["a supply that its curve decides", { parameters: () => ({ tokenSupply: null }) }],
  ])("with %s and tokens made later does not pass", async (_, option) => {
    const ref = await made(option);
    expect((await proofOf(ref)).passed).toBe(true);
    const add = ({ data }: Account) =>
      void data.writeBigUInt64LE(data.readBigUInt64LE(SUPPLY_AT) + 1n, SUPPLY_AT);
    const proof = await proofOf(ref, {}, { [String(ref.mint)]: add });
    expect(failedOf(proof)).toMatchObject([{ name: "supply", verdict: "wrong" }]);
  });
  const SUPPLY_AT = 36;

  test.each([3, 4])(
    "which option %i let a wallet make, as many as were burned, does not pass",
    async (by) => {
      const { tag, fields } = dbc.accounts.PoolConfig;
      const allow = ({ data }: Account) =>
        void data.writeUInt8(by, tag.length + offsetOf(fields, "tokenUpdateAuthority"));
      const proof = await proofOf(plain, {}, { [String(plain.config)]: allow });
      expect(failedOf(proof)).toMatchObject([{ name: "token_authority", verdict: "unknown" }]);
    },
  );

  test("whose fee falls costs what a trade pays now, and passes once that is little", async () => {
    const ref = await made(fees({ baseFeeParams: SCHEDULE }));
    const seen: [unknown, boolean | undefined][] = [];
    let last = 0;
    for (const seconds of [0, 60, 240, 600]) {
      cluster.clock.advance(1_000 * (seconds - last));
      last = seconds;
      const fact = named(await proofOf(ref), "curve_fees");
      seen.push([fact?.cost?.amount, fact?.passes]);
    }
    expect(seen).toEqual([
      [50, false],
      [33.815, false],
      [10.4599, false],
      [1.0008, true],
    ]);
  });

  const { tag, fields } = dbc.accounts.PoolConfig;
  const leaves = leavesOf(fields).map((leaf) => ({
    ...leaf,
    at: tag.length + leaf.offset,
    bytes: leaf.path === "curve" ? 32 : sizeOf(leaf.type),
    reader: rules.find(([, { reads }]) => covers(reads?.PoolConfig, leaf.path))?.[0] ?? "",
  }));

  test("whose config has any other value in any field shows another fact", async () => {
    const ref = await made(all);
    const base = await proofOf(ref);
    const flip = fc.record({
      leaf: fc.constantFrom(...leaves),
      by: fc.integer({ min: 2, max: 253 }),
    });
    await fc.assert(
      fc.asyncProperty(flip, async ({ leaf: { path, at, bytes, reader }, by }) => {
        const flipped = ({ data }: Account) => {
          for (let place = at; place < at + bytes; place++) data[place] = (data[place] ?? 0) ^ by;
        };
        const proof = await proofOf(ref, {}, { [String(ref.config)]: flipped });
        expect([path, named(proof, reader)]).not.toEqual([path, named(base, reader)]);
      }),
      { numRuns: 300 },
    );
  });

  /** Who gets a share, how long something takes, and terms of what is switched off: none of them costs anything alone. */
  const COST_NOTHING =
    /^(feeClaimer|leftoverReceiver|preMigrationTokenSupply|lockedVestingConfig\.(?!cliffUnlock).*|poolFees\.(dynamicFee\.(?!initialized).*|baseFee\.(first|second|third)Factor))$/;

  test.each(
    leaves.filter(({ path }) => !COST_NOTHING.test(path)).map((leaf) => [leaf.path, leaf] as const),
  )("passes no more if its config's %s is as high as it can be", async (_, { at, bytes }) => {
    const highest = ({ data }: Account) => void data.fill(0xff, at, at + bytes);
    expect((await proofOf(plain, {}, { [String(plain.config)]: highest })).passed).toBe(false);
  });

  test("is not known if its config, curve or pool has bytes that this version does not know", async () => {
    for (const longer of [plain.config, plain.pool]) {
      const proof = await proofOf(plain, {}, { [String(longer)]: lengthen });
      expect(named(proof, "config")).toMatchObject({ verdict: "unknown", passes: false });
    }
    const pad = ({ data }: Account) => void data.fill(1, PADDING_AT, PADDING_AT + 1);
    const padded = await proofOf(plain, {}, { [String(plain.config)]: pad });
    expect(named(padded, "config")?.verdict).toBe("unknown");
  });
  const PADDING_AT = tag.length + offsetOf(fields, "_padding2");
});
