import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { offsetOf } from "@tokenctl/shared/programs/codec";
import {
  type CurveConfig,
  firstSupply,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  TO_DAMM_V2,
} from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import {
  DAMM_V2,
  DAMM_V2_CONFIGS,
  DAMM_V2_POOL_AUTHORITY,
  DBC,
  DBC_POOL_AUTHORITY,
  SYSTEM,
  TOKEN_2022,
  TOKEN_METADATA,
} from "@tokenctl/shared/programs/ids";
import { isFullyKnown } from "@tokenctl/shared/programs/program";
import { SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { type Mint, readMint, readTokenAccount } from "@tokenctl/shared/programs/token";
import { type FactTerms, TOKEN_FACTS } from "@tokenctl/shared/token-facts";
import type { TokenProof } from "@tokenctl/shared/types";
import { parseAddress } from "../claim-check/parties.ts";
import { AbortError, InvalidArgumentError } from "../errors.ts";
import { isLoopback, parseRpcUrl, refuseOthers, wholeNumber } from "../internal/arguments.ts";
import {
  type ChainAccount,
  type CurvePool,
  findAccounts,
  kindOf,
  type LiquidityPool,
  readAccounts,
  tryAccount,
} from "../internal/chain-accounts.ts";
import { startDeadline } from "../internal/deadline.ts";
import { noAnswer } from "../internal/http.ts";
import { builder } from "../internal/program-address.ts";
import { Rpc } from "../internal/rpc.ts";
import { curveFacts, plannedLock, tokenAuthority } from "./curve-facts.ts";
import { checkDocument } from "./document.ts";
import type { VerifyOptions } from "./facts.ts";
import { type Finding, judged, percent, safe, unknown, wrong } from "./facts.ts";
import { curveFeeFacts, plannedPoolFee, poolFee } from "./fee-facts.ts";
import { liquidityFacts } from "./liquidity-facts.ts";
import { type ChainMetadata, metadataOf, mintFacts } from "./mint-facts.ts";

/** For the whole verification; each request gets a part of it. */
const DEFAULT_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 15_000;
const MAX_RETRIES = 1;

export async function verify(tokenMint: string, given: VerifyOptions): Promise<TokenProof> {
  const timeoutMs = wholeNumber("timeoutMs", given.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1);
  const deadline = startDeadline(timeoutMs, given.signal);
  try {
    return await new Verification(tokenMint, given, deadline.signal).run();
  } catch (error) {
    if (deadline.isOver()) throw noAnswer(`The verification of ${tokenMint}`, timeoutMs);
    if (given.signal?.aborted) throw new AbortError(given.signal.reason);
    throw error;
  } finally {
    deadline.end();
    // The request for the document may still be open.
    deadline.abort();
  }
}

/** The newest version of a config that this code knows. */
const LAST_CONFIG = 1;

function notOther(seen: string, wanted: string): string {
  return seen === wanted ? seen : `${seen}, not ${wanted}`;
}

const CLOCK_SYSVAR = "SysvarC1ock11111111111111111111111111111111";
/** Offsets of slot and seconds in Solana's `Clock`, in the order of DBC's activation types. */
const TIMES_AT = [0, 32];

/** Returns slots or seconds since a pool opened; null if the node shows no time of the chain. */
function passedSince(
  opened: bigint,
  activationType: number,
  clock: ChainAccount | null | undefined,
): bigint | null {
  const at = TIMES_AT[activationType];
  const { data } = clock ?? {};
  if (at === undefined || !data || data.length < at + 8) return null;
  const now = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(at, true);
  return now < opened ? null : now - opened;
}

const NO_POOL = { poolAddress: null, config: null, creator: null, liquidityPoolAddress: null };

const { tag, fields } = dbc.accounts.VirtualPool;
const MINT_AT = tag.length + offsetOf(fields, "baseMint");

/** The last value of `migration_progress`, after the migration. */
const CREATED_POOL = 3;

type Found = Omit<
  TokenProof,
  "tokenMint" | "name" | "symbol" | "passed" | "facts" | "metadataSha256"
>;

/** Added to the text if the node has the mark, which only an embedded chain has. */
const OF_SANDBOX = ": this node is a sandbox's, whose tokens are on no cluster";

class Verification {
  readonly #mint: string;
  readonly #options: VerifyOptions;
  readonly #rpc: Rpc;

  constructor(tokenMint: string, given: VerifyOptions, signal: AbortSignal) {
    const { rpcUrl, creator, config, pool, timeoutMs: _, mayRead: __, fetch, ...rest } = given;
    const { atMost = {}, ...others } = rest;
    refuseOthers(others);
    for (const [name, text] of Object.entries({ tokenMint, creator, config, pool })) {
      if (text !== undefined) parseAddress(name, text);
    }
    for (const [name, limit] of Object.entries(atMost)) {
      const rule = (TOKEN_FACTS as Readonly<Record<string, FactTerms>>)[name];
      if (rule?.cost && Number.isFinite(limit) && limit >= 0) continue;
      const flaw = `no fact ${name} that costs something, or no number from 0 for it`;
      throw new InvalidArgumentError(`atMost has ${flaw}`);
    }
    this.#mint = tokenMint;
    this.#options = given;
    const retry = { maxRetries: MAX_RETRIES };
    const timeoutMs = REQUEST_TIMEOUT_MS;
    this.#rpc = new Rpc(parseRpcUrl(rpcUrl), { fetch, retry, timeoutMs, signal });
  }

  async run(): Promise<TokenProof> {
    const metaplex = builder.derived(TOKEN_METADATA, "metadata", TOKEN_METADATA, this.#mint);
    const read = [this.#mint, metaplex, SANDBOX_MINT];
    const [account, described, mark] = await readAccounts(this.#rpc, read);
    const mint = readMint(account);
    if (!mint) {
      const text = account ? `${kindOf(account)}, not a mint` : "there is no such account";
      return this.#proof([wrong("token", text)], NO_POOL, null, null);
    }
    const { metadata, authority } = metadataOf(this.#mint, mint, described);
    const is2022 = account?.owner === TOKEN_2022;
    const isFixed = authority.verdict === "safe" && mint.mintAuthority === null;
    const [document, pool] = await Promise.all([
      metadata && this.#document(metadata),
      this.#poolFacts({ ...mint, is2022, isFixed }, mark ? OF_SANDBOX : ""),
    ]);
    const isOther = pool.facts.some(({ name }) => name === "token");
    const findings = [
      ...(isOther ? [] : [tokenFact(mint, metadata, is2022)]),
      ...mintFacts(mint, (account as ChainAccount).owner),
      authority,
      ...(document ? [document.fact] : []),
      ...pool.facts,
    ];
    return this.#proof(findings, pool.found, metadata, document?.sha256 ?? null);
  }

  #proof(
    findings: readonly Finding[],
    found: Found,
    metadata: ChainMetadata | null,
    metadataSha256: string | null,
  ): TokenProof {
    const order = Object.keys(TOKEN_FACTS);
    const facts = findings
      .map((finding) => judged(finding, this.#options.atMost ?? {}))
      .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    const passed = facts.every(({ passes }) => passes);
    const { name = null, symbol = null } = metadata ?? {};
    return { tokenMint: this.#mint, name, symbol, passed, facts, ...found, metadataSha256 };
  }

  #document(metadata: ChainMetadata) {
    const { fetch, rpcUrl, mayRead = () => true } = this.#options;
    const mayBeLocal = isLoopback(new URL(rpcUrl));
    const timeoutMs = REQUEST_TIMEOUT_MS;
    const { signal } = this.#rpc;
    return checkDocument(metadata, { fetch, signal, timeoutMs, mayBeLocal, mayRead });
  }

  async #poolFacts(mint: ReadMint, hint: string): Promise<{ facts: Finding[]; found: Found }> {
    const read = await this.#findPool(hint);
    if (typeof read === "string") return { facts: [unknown("pool", read)], found: NO_POOL };
    const { address, pool, isKnown } = read;
    const known = { ...NO_POOL, poolAddress: address, config: pool.config, creator: pool.creator };
    const [account, clock] = await readAccounts(this.#rpc, [pool.config, CLOCK_SYSVAR]);
    const config = tryAccount(dbc, "PoolConfig", account);
    const isPool =
      config && builder.poolAddress(DBC, pool.config, [this.#mint, config.quoteMint]) === address;
    if (!isPool) {
      const what = account && !config ? kindOf(account) : "not that of the pool";
      const text = `${address}, whose config ${pool.config} is ${what}`;
      return { facts: [wrong("pool", text)], found: known };
    }
    const isMigrated = pool.isMigrated === 1 && pool.migrationProgress === CREATED_POOL;
    if (!isMigrated && (pool.isMigrated !== 0 || pool.migrationProgress >= CREATED_POOL)) {
      return { facts: [unknown("pool", `the state of ${address}`)], found: known };
    }
    const isConfigKnown =
      config.version <= LAST_CONFIG &&
      isFullyKnown(dbc.accounts.PoolConfig, (account as ChainAccount).data);
    const [quote, quoteFact] = quoteOf(config);
    const isOfConfig =
      config.tokenType === Number(mint.is2022) &&
      pool.poolType === config.tokenType &&
      config.tokenDecimal === mint.decimals;
    const other = wrong("token", "its program or decimals are not those of its config");
    const common = [
      ...(isOfConfig ? [] : [other]),
      tokenAuthority(config, mint.isFixed),
      quoteFact,
      this.#configFact(pool.config, isConfigKnown && isKnown),
      ...curveFacts(config, pool),
      ...curveFeeFacts(config, passedSince(pool.activationPoint, config.activationType, clock)),
    ];
    const ofPool =
      config.creatorPermanentLockedLiquidityPercentage +
      config.creatorLiquidityPercentage +
      config.creatorLiquidityVestingInfo.vestingPercentage;
    if (!isMigrated) {
      const isSold = pool.quoteReserve >= config.migrationQuoteThreshold;
      const sold = isSold ? "; it is sold out, and waits for its migration" : "";
      const facts = [
        safe("pool", `on the bonding curve ${address}, against ${quote}${sold}`),
        this.#creatorFact(pool.creator, null),
        ...common,
        plannedPoolFee(config, ofPool),
        plannedLock(config),
        await this.#supplyFact(mint, config, address, null),
      ];
      return { facts, found: known };
    }
    const dammConfig = DAMM_V2_CONFIGS[config.migrationFeeOption];
    if (config.migrationOption !== TO_DAMM_V2 || dammConfig === undefined) {
      const text = `the curve ${address} migrated elsewhere than to DAMM v2`;
      return { facts: [unknown("pool", text), ...common], found: known };
    }
    const mints = [this.#mint, config.quoteMint] as const;
    const migrated = builder.poolAddress(DAMM_V2, dammConfig, mints);
    const roles = new Map([
      [config.feeClaimer, "the partner "],
      [pool.creator, "the creator "],
    ]);
    const source = { rpc: this.#rpc, address: migrated, roles };
    const liquidity = await liquidityFacts(source, this.#mint, config);
    const hasPosition = config.creatorPermanentLockedLiquidityPercentage > 0;
    const text = `in the DAMM v2 pool ${migrated}, against ${quote}; its curve was ${address}`;
    const facts = [
      liquidity.pool && !isOpen(liquidity.pool)
        ? unknown("pool", `${text}; it is switched off, or not open to all at every price`)
        : safe("pool", text),
      this.#creatorFact(pool.creator, hasPosition ? liquidity.holders : null),
      ...common,
      liquidity.pool ? poolFee(liquidity.pool, ofPool) : plannedPoolFee(config, ofPool),
      ...liquidity.facts,
      await this.#supplyFact(mint, config, address, migrated),
    ];
    return { facts, found: { ...known, liquidityPoolAddress: migrated } };
  }

  #configFact(address: string, isKnown: boolean): Finding {
    const { config: wanted = address } = this.#options;
    if (address !== wanted) return wrong("config", notOther(address, wanted));
    if (isKnown) return safe("config", address);
    return unknown("config", `what a later version keeps in ${address} or in its pool`);
  }

  #creatorFact(creator: string, holders: readonly string[] | null): Finding {
    const { creator: wanted } = this.#options;
    const lacks =
      holders === null || holders.includes(wanted ?? creator)
        ? ""
        : `; it holds no large locked position in the pool, whose fees ${holders.join(" and ") || "others"} get`;
    const isRight = wanted === undefined || (creator === wanted && lacks === "");
    return isRight
      ? safe("creator", creator + lacks)
      : wrong("creator", notOther(creator, wanted) + lacks);
  }

  /** Returns the token's pool, or the reason why there is none. */
  async #findPool(
    hint: string,
  ): Promise<{ address: string; pool: CurvePool; isKnown: boolean } | string> {
    const { config, pool: named } = this.#options;
    const read = (address: string, account: ChainAccount | null | undefined) => {
      const pool = tryAccount(dbc, "VirtualPool", account);
      if (!account || pool?.baseMint !== this.#mint) return null;
      return { address, pool, isKnown: isFullyKnown(dbc.accounts.VirtualPool, account.data) };
    };
    const address =
      named ?? (config && builder.poolAddress(DBC, config, [this.#mint, WRAPPED_SOL_MINT]));
    if (address) {
      const [account] = await readAccounts(this.#rpc, [address]);
      const other = account
        ? `${address} is ${kindOf(account)}`
        : `there is no pool ${address}${hint}`;
      return read(address, account) ?? other;
    }
    const filter = { offset: MINT_AT, bytes: this.#mint };
    const found = await findAccounts(this.#rpc, DBC, [filter]);
    const [first, second] = found.flatMap(({ address: at, account }) => read(at, account) ?? []);
    if (first && !second) return first;
    if (second) return "the node shows several pools";
    const [other] = found;
    if (other) return `${other.address} is ${kindOf(other.account)}`;
    return `no bonding curve of Dynamic Bonding Curve has this token${hint}`;
  }

  async #supplyFact(
    { supply, decimals }: Mint,
    config: CurveConfig,
    curveAddress: string,
    liquidityPool: string | null,
  ): Promise<Finding> {
    const pools = [
      ["the curve", DBC, curveAddress, DBC_POOL_AUTHORITY],
      ["the DAMM v2 pool", DAMM_V2, liquidityPool, DAMM_V2_POOL_AUTHORITY],
    ] as const;
    let rest = supply;
    const shares: string[] = [];
    for (const [what, program, pool, authority] of pools) {
      if (pool === null) continue;
      const address = builder.derived(program, "token_vault", this.#mint, pool);
      const [account] = await readAccounts(this.#rpc, [address]);
      const vault = readTokenAccount(account);
      if (vault?.mint !== this.#mint || vault.owner !== authority) {
        return wrong("supply", `${address} is not the vault of ${what}`);
      }
      rest -= vault.amount;
      shares.push(`${what} holds ${percent(vault.amount, supply)}`);
    }
    if (rest < 0n) return wrong("supply", "the pools hold more tokens than there are");
    const more = supply - firstSupply(config);
    if (more > 0n)
      return wrong("supply", `${percent(more, supply)} of all tokens were made after the curve`);
    const total = `${(supply / 10n ** BigInt(decimals)).toLocaleString("en")} tokens`;
    return safe("supply", `${total}: ${shares.join(", ")}, others hold ${percent(rest, supply)}`);
  }
}

interface ReadMint extends Mint {
  readonly is2022: boolean;
  readonly isFixed: boolean;
}

function tokenFact({ decimals }: Mint, metadata: ChainMetadata | null, is2022: boolean): Finding {
  const name = metadata ? `${JSON.stringify(metadata.name)} (${metadata.symbol}), ` : "";
  return safe("token", `${name}${is2022 ? "Token-2022" : "SPL Token"}, ${decimals} decimals`);
}

function quoteOf({ quoteMint, quoteTokenFlag }: CurveConfig): [string, Finding] {
  const isSol = quoteMint === WRAPPED_SOL_MINT;
  const words = isSol ? "SOL" : `token ${quoteMint}`;
  if (isSol && quoteTokenFlag === 0) return [words, safe("quote", words)];
  return [words, unknown("quote", `the worth of ${words}, of kind ${quoteTokenFlag}`)];
}

function isOpen(pool: LiquidityPool): boolean {
  const { poolStatus, whitelistedVault, sqrtMinPrice, sqrtMaxPrice } = pool;
  return (
    poolStatus === 0 &&
    whitelistedVault === SYSTEM &&
    sqrtMinPrice === MIN_SQRT_PRICE &&
    sqrtMaxPrice === MAX_SQRT_PRICE
  );
}
