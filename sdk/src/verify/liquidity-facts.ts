import { offsetOf } from "@tokenctl/shared/programs/codec";
import { COMPOUNDING, type CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { DAMM_V2, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { isFullyKnown } from "@tokenctl/shared/programs/program";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import bs58 from "bs58";
import { RpcError } from "../errors.ts";
import { answer, list, shape, string } from "../internal/answer.ts";
import {
  type ChainAccount,
  findAccounts,
  type LiquidityPool as Pool,
  type Position,
  readAccounts,
  tryAccount,
  withdrawable,
} from "../internal/chain-accounts.ts";
import { builder } from "../internal/program-address.ts";
import { CONFIRMED, type Rpc } from "../internal/rpc.ts";
import { lockedPercent } from "./curve-facts.ts";
import { costs, type Finding, percent, percentage, unknown } from "./facts.ts";

/** Positions that are smaller, of all liquidity and of what is locked, are counted together. */
const LEAST_PERCENT = 1n;
/** Accounts that a node returns per request. Source: `getMultipleAccounts` in Solana's RPC docs. */
const READ_AT_ONCE = 100;
/** NFTs searched beyond the known wallets. Anyone can make positions, and each takes a request. */
const MOST_SEARCHES = 10;
/** Two, because the pool may change between two reads. */
const ATTEMPTS = 2;
/** The newest layout of a pool that this code knows. */
const LAST_LAYOUT = 1;

interface Holding {
  /** Null if it was not found. */
  readonly holder: string | null;
  readonly delegate: string | null;
}

type Held = Position & Holding;

const NO_HOLDER: Holding = { holder: null, delegate: null };

interface Source {
  readonly rpc: Rpc;
  readonly address: string;
  /** Roles of wallets that may hold a position, for example `the creator `, keyed by wallet. */
  readonly roles: ReadonlyMap<string, string>;
}

/**
 * `pool` is null if it cannot be read. `holders` have at least half of what the creator's position
 * locked of all that is locked permanently: anyone can lock a little, and give that to the creator.
 */
export async function liquidityFacts(source: Source, mint: string, config: CurveConfig) {
  const found = await readPositions(source, mint);
  if (typeof found === "string") {
    return { facts: [unknown("locked_liquidity", found)], pool: null, holders: [] };
  }
  const { pool, positions } = found;
  const large = positions.filter(
    ({ position: one }) =>
      sizeOf(one) * 100n >= pool.liquidity * LEAST_PERCENT ||
      one.permanentLockedLiquidity * 100n > pool.permanentLockLiquidity * LEAST_PERCENT,
  );
  // The holder of a position's NFT owns the position.
  const own = large.flatMap(({ address, position }) =>
    builder.derived(DAMM_V2, "position", position.nftMint) === address ? position : [],
  );
  const holdings = await readHolders(source, own);
  const held = large.map(({ position }) => ({
    ...position,
    ...(holdings.get(position.nftMint) ?? NO_HOLDER),
  }));
  const locked = held.filter((one) => one.permanentLockedLiquidity > 0n);
  const plannedPercent = lockedPercent(config);
  const share = BigInt(config.creatorPermanentLockedLiquidityPercentage);
  const hasHalf = (wallet: string) => {
    const parts = locked.filter(({ holder }) => holder === wallet);
    const part = parts.reduce((sum, one) => sum + one.permanentLockedLiquidity, 0n);
    return part * BigInt(2 * plannedPercent) >= pool.permanentLockLiquidity * share;
  };
  const holders = new Set(locked.flatMap(({ holder }) => holder ?? []));
  return {
    pool,
    facts: [lockFact(pool, held, { plannedPercent, roles: source.roles }), delegateFact(locked)],
    holders: [...holders].filter(hasHalf),
  };
}

/** Judges by the config's promise, because anyone can add liquidity and withdraw it again. */
function lockFact(
  pool: Pool,
  held: readonly Held[],
  { plannedPercent, roles }: Pick<Source, "roles"> & { readonly plannedPercent: number },
): Finding {
  const { liquidity, permanentLockLiquidity } = pool;
  const parts = new Map<string, bigint>();
  for (const one of held) {
    const { holder, permanentLockedLiquidity: locked } = one;
    const whose =
      holder === null ? "holders that were not found" : `${roles.get(holder) ?? ""}${holder}`;
    for (const [part, how] of [
      [locked, ""] as const,
      [withdrawable(one), " that can be withdrawn"] as const,
    ]) {
      const words = `${how} for ${whose}`;
      parts.set(words, (parts.get(words) ?? 0n) + part);
    }
  }
  const shares = [...parts]
    .filter(([, part]) => percentage(part, liquidity) > 0)
    .map(([words, part]) => percent(part, liquidity) + words);
  const rest = liquidity - held.reduce((sum, one) => sum + sizeOf(one), 0n);
  if (percentage(rest, liquidity) > 0)
    shares.push(`${percent(rest, liquidity)} in small positions`);
  const isAsPlanned = plannedPercent === 100 && permanentLockLiquidity > 0n;
  const text = `${percent(permanentLockLiquidity, liquidity)} of the liquidity is locked permanently: ${shares.join(", ")}`;
  const free = isAsPlanned ? 0 : percentage(liquidity - permanentLockLiquidity, liquidity);
  return costs("locked_liquidity", free, text);
}

function delegateFact(locked: readonly Held[]): Finding {
  if (locked.some(({ holder }) => holder === null)) {
    return unknown("delegates", "the holder of a position was not found");
  }
  const delegated = locked.filter(({ delegate }) => delegate !== null);
  const text = delegated.map(
    ({ holder, delegate, delegatePermission }) =>
      `${delegate} may move the position of ${holder}${delegatePermission === 0 ? "" : `, with the permissions ${delegatePermission}`}`,
  );
  const none = "none: no other wallet may move a position";
  return costs("delegates", delegated.length, delegated.length === 0 ? none : text.join(", "));
}

const sizeOf = (one: Position) => withdrawable(one) + one.permanentLockedLiquidity;

const { tag, fields } = dammV2.accounts.Position;

/** Returns the pool and all of its positions, which must add up to it, or the reason why not. */
async function readPositions({ rpc, address }: Source, mint: string) {
  for (let attempt = 1; ; attempt++) {
    const [account] = await readAccounts(rpc, [address]);
    const pool = tryAccount(dammV2, "Pool", account);
    if (pool?.tokenAMint !== mint) return `${address} is not a DAMM v2 pool of this token`;
    if (pool.layoutVersion > LAST_LAYOUT) return `layout ${pool.layoutVersion} of the pool`;
    if (!isFullyKnown(dammV2.accounts.Pool, (account as ChainAccount).data)) {
      return `bytes of ${address} whose meaning is not known`;
    }
    const found = await findAccounts(rpc, DAMM_V2, [
      { offset: 0, bytes: bs58.encode(Uint8Array.from(tag)) },
      { offset: tag.length + offsetOf(fields, "pool"), bytes: address },
    ]);
    const positions = found.flatMap(({ address: at, account }) => {
      const position = tryAccount(dammV2, "Position", account);
      if (position?.pool !== address) return [];
      const isKnown = isFullyKnown(dammV2.accounts.Position, account.data);
      return [{ address: at, position, isKnown }];
    });
    const later = positions.find(({ isKnown }) => !isKnown);
    if (later) return `bytes of the position ${later.address} whose meaning is not known`;
    const sum = (of: (position: Position) => bigint) =>
      positions.reduce((total, { position }) => total + of(position), 0n);
    const all = sum(sizeOf);
    const isComplete =
      sum(({ permanentLockedLiquidity: locked }) => locked) === pool.permanentLockLiquidity &&
      (all === pool.liquidity || (pool.collectFeeMode === COMPOUNDING && all < pool.liquidity));
    if (isComplete) return { pool, positions };
    if (attempt === ATTEMPTS) return "the positions that the node shows do not add up to the pool";
  }
}

async function readHolders({ rpc, roles }: Source, positions: readonly Position[]) {
  const usual = ({ nftMint }: Position) => [
    builder.derived(DAMM_V2, "position_nft_account", nftMint),
    ...[...roles.keys()].map((wallet) => builder.associated(wallet, nftMint, TOKEN_2022)),
  ];
  const holdings = await holdingsAt(rpc, positions.flatMap(usual));
  const missing = positions
    .filter(({ nftMint }) => !holdings.has(nftMint))
    .toSorted((one, other) =>
      one.permanentLockedLiquidity > other.permanentLockedLiquidity ? -1 : 1,
    )
    .slice(0, MOST_SEARCHES);
  const others = await Promise.all(missing.map(({ nftMint }) => largestAccounts(rpc, nftMint)));
  return new Map([...holdings, ...(await holdingsAt(rpc, others.flat()))]);
}

async function holdingsAt(rpc: Rpc, places: readonly string[]): Promise<Map<string, Holding>> {
  const holdings = new Map<string, Holding>();
  for (let from = 0; from < places.length; from += READ_AT_ONCE) {
    for (const read of await readAccounts(rpc, places.slice(from, from + READ_AT_ONCE))) {
      const account = read?.owner === TOKEN_2022 ? readTokenAccount(read) : null;
      if (account?.amount !== 1n) continue;
      holdings.set(account.mint, { holder: account.owner, delegate: account.delegate });
    }
  }
  return holdings;
}

const largest = answer<{ value: { address: string }[] }>(
  shape({ value: list(shape({ address: string })) }),
);

/** Returns the account that can hold an NFT; none if the node does not support the method. */
async function largestAccounts(rpc: Rpc, mint: string) {
  try {
    const { value } = await rpc.read("getTokenLargestAccounts", [mint, CONFIRMED], largest);
    return value.slice(0, 1).map(({ address }) => address);
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}
