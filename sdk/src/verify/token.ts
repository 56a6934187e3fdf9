import { decodeBase58 } from "@tokenctl/shared/base58";
import { offsetOf } from "@tokenctl/shared/programs/codec";
import { TO_DAMM_V2 } from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { type Mint, readMint, readTokenAccount } from "@tokenctl/shared/programs/token";
import type { Fact, TokenProof } from "@tokenctl/shared/types";
import {
  DAMM_V2_CONFIGS,
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  METADATA_PROGRAM,
  WRAPPED_SOL_MINT,
} from "../claim-check/addresses.ts";
import { AbortError, InvalidArgumentError } from "../errors.ts";
import { type ChainAccount, findAccounts, readAccounts } from "../internal/chain-accounts.ts";
import { startDeadline } from "../internal/deadline.ts";
import { noAnswer } from "../internal/http.ts";
import { type CurvePool, kindOf, tryAccount } from "../internal/layouts.ts";
import { isLoopback, parseRpcUrl, refuseOthers, wholeNumber } from "../internal/parse-options.ts";
import { builder } from "../internal/program-address.ts";
import { Rpc } from "../internal/rpc.ts";
import { feeFacts, lockedPercent, plannedLock } from "./curve-facts.ts";
import { checkDocument } from "./document.ts";
import { fact, info, percent } from "./facts.ts";
import { liquidityFacts } from "./liquidity-facts.ts";
import { metadataOf, mintFacts } from "./mint-facts.ts";
import type { VerifyOptions } from "./options.ts";

/** Of everything; each request gets a part of it. */
const DEFAULT_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 15_000;
const MAX_RETRIES = 1;
/** A search finds one pool of a mint; more would be a fault of the node. */
const MOST_POOLS = 10;

/** See `verifyToken`. */
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
    // The document may still be on its way.
    deadline.abort();
  }
}

/** Later versions of a config are not known. */
const LAST_CONFIG = 1;

function notOther(seen: string, wanted: string): string {
  return seen === wanted ? seen : `${seen}, not ${wanted}`;
}

/** What is shown of a token whose pool is not known. */
const NO_POOL = { poolAddress: null, config: null, creator: null, liquidityPoolAddress: null };

const { tag, fields } = dbc.accounts.VirtualPool;
/** Where a pool names its mint. */
const MINT_AT = tag.length + offsetOf(fields, "baseMint");

class Verification {
  readonly #mint: string;
  readonly #options: VerifyOptions;
  readonly #rpc: Rpc;
  readonly #facts: Fact[] = [];

  constructor(tokenMint: string, given: VerifyOptions, signal: AbortSignal) {
    const { rpcUrl, creator, config, pool, timeoutMs: _, mayRead: __, fetch, ...others } = given;
    refuseOthers(others);
    for (const [name, text] of Object.entries({ tokenMint, creator, config, pool })) {
      if (text === undefined || decodeBase58(text, 32)) continue;
      throw new InvalidArgumentError(`${name} is not an address, which is base58 of 32 bytes`);
    }
    this.#mint = tokenMint;
    this.#options = given;
    const retry = { maxRetries: MAX_RETRIES };
    const timeoutMs = REQUEST_TIMEOUT_MS;
    this.#rpc = new Rpc(parseRpcUrl(rpcUrl), { fetch, retry, timeoutMs, signal });
  }

  async run(): Promise<TokenProof> {
    const metaplex = builder.derived(METADATA_PROGRAM, "metadata", METADATA_PROGRAM, this.#mint);
    const [account, described] = await this.#read(this.#mint, metaplex);
    const mint = readMint(account);
    if (!mint) {
      const text = account ? `${kindOf(account)}, not a mint` : "there is no such account";
      return this.#proof([fact("token", false, text)], NO_POOL, null);
    }
    const { metadata, authority } = metadataOf(this.#mint, mint, described);
    this.#facts.push(...mintFacts(mint, (account as ChainAccount).owner), authority);
    const [document, pool] = await Promise.all([
      metadata && this.#document(metadata),
      this.#poolFacts(mint),
    ]);
    const facts = [...this.#facts, ...(document ? [document.fact] : []), ...pool.facts];
    return this.#proof(facts, pool.found, document?.sha256 ?? null);
  }

  #proof(
    facts: Fact[],
    found: Omit<TokenProof, "tokenMint" | "passed" | "facts" | "metadataSha256">,
    metadataSha256: string | null,
  ): TokenProof {
    const passed = facts.every(({ status }) => status !== "fail");
    return { tokenMint: this.#mint, passed, facts, ...found, metadataSha256 };
  }

  #read(...addresses: string[]): Promise<(ChainAccount | null)[]> {
    return readAccounts(this.#rpc, addresses);
  }

  #document(metadata: Parameters<typeof checkDocument>[0]) {
    const { fetch, rpcUrl, mayRead = () => true } = this.#options;
    const mayBeLocal = isLoopback(new URL(rpcUrl));
    const timeoutMs = REQUEST_TIMEOUT_MS;
    const { signal } = this.#rpc;
    return checkDocument(metadata, { fetch, signal, timeoutMs, mayBeLocal, mayRead });
  }

  async #poolFacts(mint: Mint) {
    const found = await this.#findPool();
    if (typeof found === "string") {
      return { facts: [fact("pool", false, found)], found: NO_POOL };
    }
    const { address, pool } = found;
    const known = { ...NO_POOL, poolAddress: address, config: pool.config, creator: pool.creator };
    const [account] = await this.#read(pool.config);
    const config = tryAccount(dbc, "PoolConfig", account);
    const isPool =
      config &&
      builder.poolAddress(DBC_PROGRAM, pool.config, [this.#mint, config.quoteMint]) === address;
    if (!isPool) {
      const what = account && !config ? kindOf(account) : "not that of the pool";
      const text = `${address}, whose config ${pool.config} is ${what}`;
      return { facts: [fact("pool", false, text)], found: known };
    }
    if (config.version > LAST_CONFIG) {
      const text = `unknown: version ${config.version} of the config ${pool.config}`;
      return { facts: [fact("pool", false, text)], found: known };
    }
    const quote = config.quoteMint === WRAPPED_SOL_MINT ? "SOL" : `token ${config.quoteMint}`;
    const wanted = this.#options.config;
    const common = [
      wanted === undefined
        ? info("config", pool.config)
        : fact("config", pool.config === wanted, notOther(pool.config, wanted)),
      ...feeFacts(config),
    ];
    if (pool.isMigrated === 0) {
      const facts = [
        info("pool", `on the bonding curve ${address}, against ${quote}`),
        this.#creatorFact(pool.creator, null),
        ...common,
        plannedLock(config),
        await this.#supplyFact(mint, address, null),
      ];
      return { facts, found: known };
    }
    const dammConfig = DAMM_V2_CONFIGS[config.migrationFeeOption];
    if (config.migrationOption !== TO_DAMM_V2 || dammConfig === undefined) {
      const text = `unknown: the curve ${address} migrated elsewhere than to DAMM v2`;
      return { facts: [fact("pool", false, text), ...common], found: known };
    }
    const migrated = builder.poolAddress(DAMM_V2_PROGRAM, dammConfig, [
      this.#mint,
      config.quoteMint,
    ]);
    const liquidity = await liquidityFacts(
      {
        rpc: this.#rpc,
        address: migrated,
        roles: new Map([
          [config.feeClaimer, "the partner "],
          [pool.creator, "the creator "],
        ]),
      },
      this.#mint,
      lockedPercent(config),
    );
    const hasPosition = config.creatorPermanentLockedLiquidityPercentage > 0;
    const facts = [
      info("pool", `in the DAMM v2 pool ${migrated}, against ${quote}; its curve was ${address}`),
      this.#creatorFact(pool.creator, hasPosition ? liquidity.holders : null),
      ...common,
      ...liquidity.facts,
      await this.#supplyFact(mint, address, migrated),
    ];
    return { facts, found: { ...known, liquidityPoolAddress: migrated } };
  }

  /** @param holders of positions in the pool after the curve; null if the creator need not have one */
  #creatorFact(creator: string, holders: readonly string[] | null): Fact {
    const { creator: wanted } = this.#options;
    const lacks =
      holders === null || holders.includes(wanted ?? creator)
        ? ""
        : `; it holds no position in the pool, whose fees ${holders.join(" and ") || "others"} get`;
    if (wanted === undefined) return info("creator", creator + lacks);
    return fact("creator", creator === wanted && lacks === "", notOther(creator, wanted) + lacks);
  }

  /** @returns the token's pool, or why there is none */
  async #findPool(): Promise<{ address: string; pool: CurvePool } | string> {
    const { config, pool: named } = this.#options;
    const isOwn = (pool: CurvePool | null): pool is CurvePool => pool?.baseMint === this.#mint;
    const address =
      named ?? (config && builder.poolAddress(DBC_PROGRAM, config, [this.#mint, WRAPPED_SOL_MINT]));
    if (address) {
      const [account] = await this.#read(address);
      const pool = tryAccount(dbc, "VirtualPool", account);
      if (isOwn(pool)) return { address, pool };
      return account ? `${address} is ${kindOf(account)}` : `there is no pool ${address}`;
    }
    const filter = { offset: MINT_AT, bytes: this.#mint };
    const found = await findAccounts(this.#rpc, DBC_PROGRAM, [filter]);
    const pools = found.slice(0, MOST_POOLS).flatMap(({ address, account }) => {
      const pool = tryAccount(dbc, "VirtualPool", account);
      return isOwn(pool) ? [{ address, pool }] : [];
    });
    const [first, second] = pools;
    if (first && !second) return first;
    if (second) return "unknown: the node shows several pools";
    const [other] = found;
    if (other) return `unknown: ${other.address} is ${kindOf(other.account)}`;
    return "unknown: no bonding curve of Dynamic Bonding Curve has this token";
  }

  /** How much of the token the programs hold. */
  async #supplyFact(
    { supply, decimals }: Mint,
    curveAddress: string,
    liquidityPool: string | null,
  ): Promise<Fact> {
    const vaults = [
      {
        what: "the curve",
        address: builder.derived(DBC_PROGRAM, "token_vault", this.#mint, curveAddress),
        authority: DBC_POOL_AUTHORITY,
      },
      ...(liquidityPool === null
        ? []
        : [
            {
              what: "the DAMM v2 pool",
              address: builder.derived(DAMM_V2_PROGRAM, "token_vault", this.#mint, liquidityPool),
              authority: DAMM_V2_POOL_AUTHORITY,
            },
          ]),
    ];
    const accounts = await this.#read(...vaults.map(({ address }) => address));
    let rest = supply;
    const shares: string[] = [];
    for (const [index, { what, address, authority }] of vaults.entries()) {
      const vault = readTokenAccount(accounts[index]);
      if (vault?.mint !== this.#mint || vault.owner !== authority) {
        return fact("supply", false, `${address} is not the vault of ${what}`);
      }
      rest -= vault.amount;
      shares.push(`${what} holds ${percent(vault.amount, supply)}`);
    }
    const total = `${(supply / 10n ** BigInt(decimals)).toLocaleString("en")} tokens`;
    return info("supply", `${total}: ${shares.join(", ")}, others hold ${percent(rest, supply)}`);
  }
}
