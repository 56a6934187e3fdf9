import { derivePositionAddress } from "@meteora-ag/cp-amm-sdk";
import { AccountLayout, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import type { AccountInfo, Connection, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../base/bounded-map.ts";
import { readAccounts } from "../../solana/read-accounts.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import {
  decodeLiquidityPool,
  decodePosition,
  type LiquidityPool,
  type Position,
} from "./accounts.ts";
import { liquidityPoolAddress } from "./addresses.ts";
import type { Curve, CurveFault } from "./curve-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** A DAMM v2 pool and one agent's positions in it. */
export interface LiquidityHolding {
  readonly address: PublicKey;
  readonly pool: LiquidityPool;
  readonly positions: readonly HeldPosition[];
}

/** Why a pool cannot be read: its account is missing, or is something else. */
export type LiquidityFault = ChainUnavailableError | TokenUnreadableError;

export interface HeldPosition extends Position {
  readonly address: PublicKey;
  /** The agent's token account with the position's NFT. */
  readonly nftAccount: PublicKey;
}

interface PositionRef {
  readonly address: PublicKey;
  readonly nftAccount: PublicKey;
  readonly nftMint: string;
}

/** An agent's NFTs, and one of its accounts that may hold another but cannot be read. */
interface Candidates {
  readonly refs: readonly PositionRef[];
  readonly unclear: PublicKey | null;
}

/** About 20 MB of addresses. */
const REMEMBERED_POSITIONS = 50_000;

/**
 * Reads an agent's positions in DAMM v2 pools: one call for its position NFTs, then one for each
 * 100 positions and pools.
 */
export class LiquidityReader {
  readonly #connection: Connection;
  readonly #programs: MeteoraPrograms;
  /**
   * By NFT mint: the position's address and, once read, its pool. A position never leaves its pool,
   * so positions in other pools than those asked for are not loaded again.
   */
  readonly #known = new BoundedMap<string, { address: PublicKey; pool?: string }>(
    REMEMBERED_POSITIONS,
  );

  constructor(connection: Connection, programs: MeteoraPrograms) {
    this.#connection = connection;
    this.#programs = programs;
  }

  /** @returns the holdings in the order of the addresses; for a pool that cannot be read, the error */
  async read(
    agent: PublicKey,
    addresses: readonly PublicKey[],
  ): Promise<(LiquidityHolding | LiquidityFault)[]> {
    const wanted = new Map(addresses.map((address) => [address.toBase58(), [] as HeldPosition[]]));
    const candidates = await this.#candidates(agent, wanted);
    const { refs } = candidates;
    let { unclear } = candidates;
    const faults = new Map<string, PublicKey>();
    const accounts = await readAccounts(this.#connection, [
      ...refs.map((ref) => ref.address),
      ...addresses,
    ]);
    refs.forEach((ref, index) => {
      const account = accounts[index];
      // Anyone can send SOL to the address at which the position of an NFT would be.
      if (!account?.owner.equals(this.#programs.liquidity.programId)) return;
      const position = this.#decodePosition(account);
      if (position === null) {
        const pool = this.#known.get(ref.nftMint)?.pool;
        if (pool === undefined) unclear = ref.address;
        else faults.set(pool, ref.address);
        return;
      }
      const pool = position.pool.toBase58();
      this.#known.set(ref.nftMint, { address: ref.address, pool });
      wanted.get(pool)?.push({ ...position, address: ref.address, nftAccount: ref.nftAccount });
    });
    return addresses.map((address, index) => {
      const pool = this.#decode(address, accounts[refs.length + index] ?? null);
      if (pool instanceof Error) return pool;
      const positions = wanted.get(address.toBase58()) ?? [];
      // A position that cannot be read and was never read may be in any pool that lacks one.
      const fault = faults.get(address.toBase58()) ?? (positions.length === 0 ? unclear : null);
      if (fault) {
        return new TokenUnreadableError(
          `The account ${fault}, which may be a position in the pool ${address}, cannot be read`,
        );
      }
      return { address, pool, positions };
    });
  }

  /** @returns null if it is not laid out as a position */
  #decodePosition(account: AccountInfo<Buffer>): Position | null {
    try {
      return decodePosition(this.#programs, account);
    } catch {
      return null;
    }
  }

  #decode(address: PublicKey, account: AccountInfo<Buffer> | null): LiquidityPool | LiquidityFault {
    if (!account) {
      return new ChainUnavailableError(`The liquidity pool ${address} is not to be found`);
    }
    try {
      return decodeLiquidityPool(this.#programs, account);
    } catch (error) {
      return new TokenUnreadableError(`The account ${address} is no liquidity pool`, error);
    }
  }

  /** The agent's NFTs that are, or may be, positions in one of the pools. */
  async #candidates(agent: PublicKey, pools: ReadonlyMap<string, unknown>): Promise<Candidates> {
    const owned = await this.#connection.getTokenAccountsByOwner(
      agent,
      { programId: TOKEN_2022_PROGRAM_ID },
      "confirmed",
    );
    const refs: PositionRef[] = [];
    let unclear: PublicKey | null = null;
    for (const { pubkey, account } of owned.value) {
      if (
        account.data.length < AccountLayout.span ||
        !account.owner.equals(TOKEN_2022_PROGRAM_ID)
      ) {
        unclear = pubkey;
        continue;
      }
      const { amount, mint } = AccountLayout.decode(account.data);
      if (amount !== 1n) continue;
      const nftMint = mint.toBase58();
      const known = this.#known.getOrMake(nftMint, () => ({
        address: derivePositionAddress(mint),
      }));
      if (known.pool !== undefined && !pools.has(known.pool)) continue;
      refs.push({ address: known.address, nftAccount: pubkey, nftMint });
    }
    return { refs, unclear };
  }
}

/** About 10 MB of addresses; each takes a tenth of a millisecond to derive. */
const REMEMBERED_POOLS = 50_000;

/** Reads what a wallet holds in the pools that curves have become. */
export class HoldingReader {
  readonly #liquidity: LiquidityReader;
  readonly #pools = new BoundedMap<string, PublicKey>(REMEMBERED_POOLS);

  constructor(connection: Connection, programs: MeteoraPrograms) {
    this.#liquidity = new LiquidityReader(connection, programs);
  }

  /** For each migrated curve: its DAMM v2 pool and the wallet's positions, or why they cannot be read. */
  async read(
    wallet: PublicKey,
    curves: readonly (Curve | CurveFault)[],
  ): Promise<ReadonlyMap<Curve, LiquidityHolding | LiquidityFault>> {
    const holdings = new Map<Curve, LiquidityHolding | LiquidityFault>();
    const migrated: Curve[] = [];
    const addresses: PublicKey[] = [];
    for (const curve of curves) {
      if (curve instanceof Error || !curve.pool.isMigrated) continue;
      const address = this.#poolOf(curve);
      if (address instanceof Error) holdings.set(curve, address);
      else {
        migrated.push(curve);
        addresses.push(address);
      }
    }
    if (migrated.length === 0) return holdings;
    const found = await this.#liquidity.read(wallet, addresses);
    migrated.forEach((curve, index) => {
      const holding = found[index];
      if (holding) holdings.set(curve, holding);
    });
    return holdings;
  }

  #poolOf(curve: Curve): PublicKey | TokenUnreadableError {
    try {
      return this.#pools.getOrMake(curve.address.toBase58(), () =>
        liquidityPoolAddress(curve.config.migrationFeeOption, curve.pool.mint),
      );
    } catch (error) {
      return new TokenUnreadableError(
        `The pool ${curve.address} did not migrate to DAMM v2`,
        error,
      );
    }
  }
}
