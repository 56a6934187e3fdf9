import {
  type AccountInfo,
  type Connection,
  PublicKey,
  TransactionInstruction,
} from "@solana/web3.js";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import type { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import {
  type AccountOf,
  type Args,
  type BuiltInstruction,
  type Given,
  InstructionBuilder,
  type InstructionName,
  type Program,
  readAccount,
} from "@tokenctl/shared/programs/program";
import { BoundedMap } from "../../base/cache.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";

export const builder = new InstructionBuilder((seeds, program) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBytes(),
);

/** Does what {@link InstructionBuilder.build} does, for a transaction of web3.js. */
export function instruction<P extends Program, N extends InstructionName<P>>(
  program: P,
  name: N,
  given: Given<P, N>,
  args: Args<P, N>,
  more: readonly string[] = [],
): TransactionInstruction {
  return toInstruction(builder.build(program, name, given, args, more));
}

export function toInstruction({ program, accounts, data }: BuiltInstruction) {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ address, isSigner, isWritable }) => ({
      pubkey: new PublicKey(address),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data),
  });
}

export type { CurveConfig };
/** A DAMM v2 pool whose token B is wrapped SOL. */
export type LiquidityPool = AccountOf<typeof dammV2, "Pool">;
/** A share of a DAMM v2 pool. */
export type Position = AccountOf<typeof dammV2, "Position">;

export type Found = Pick<AccountInfo<Buffer>, "owner" | "data">;

export type AccountFault = ChainUnavailableError | TokenUnreadableError;

/** What errors call an account of a kind. */
const NAMES: Readonly<Record<string, string>> = {
  VirtualPool: "bonding curve pool",
  PoolConfig: "bonding curve config",
  Pool: "liquidity pool",
  Config: "config of DAMM v2",
  Position: "position",
};

export function tryRead<P extends Program, K extends keyof P["accounts"] & string>(
  account: Found | null | undefined,
  [program, kind]: readonly [P, K],
  address: PublicKey | string,
): AccountOf<P, K> | AccountFault {
  if (!account) return new ChainUnavailableError(`The ${NAMES[kind]} ${address} was not found`);
  try {
    return readAccount(program, kind, account);
  } catch (error) {
    return new TokenUnreadableError(`The account ${address} is not a ${NAMES[kind]}`, error);
  }
}

/** @param type `TokenType` of the DBC SDK, of a pool or of a config's pools */
export function tokenProgramOf(type: number): typeof TOKEN | typeof TOKEN_2022 {
  return type === 0 ? TOKEN : TOKEN_2022;
}

/** @returns the creator's percentage of the migrated liquidity, locked or not, and of its fees */
export function creatorLiquidity(
  config: Pick<
    CurveConfig,
    "creatorPermanentLockedLiquidityPercentage" | "creatorLiquidityPercentage"
  > & { readonly creatorLiquidityVestingInfo: { readonly vestingPercentage: number } },
): number {
  return (
    config.creatorPermanentLockedLiquidityPercentage +
    config.creatorLiquidityPercentage +
    config.creatorLiquidityVestingInfo.vestingPercentage
  );
}

export interface Curve {
  readonly address: PublicKey;
  readonly pool: AccountOf<typeof dbc, "VirtualPool">;
  readonly config: CurveConfig;
}

/** More than any operator has. */
const REMEMBERED_CONFIGS = 1_000;

/** Reads bonding curve pools: one call for each 100 pools, and one for each 100 new configs. */
export class CurveReader {
  /** By address. The program has no instruction that changes or closes a config. */
  readonly #configs = new BoundedMap<string, CurveConfig>(REMEMBERED_CONFIGS);

  constructor(private readonly connection: Connection) {}

  /** @returns the tokens' curves, and the other accounts, each in order */
  async read(tokens: readonly TokenRef[], others: readonly PublicKey[] = []) {
    const addresses = tokens.map((token) => new PublicKey(token.poolAddress));
    const accounts = await readAccounts(this.connection, [...addresses, ...others]);
    const pools = addresses.map((address, index) => ({
      address,
      pool: tryRead(accounts[index], [dbc, "VirtualPool"], address),
    }));
    const configs = await this.readConfigs(
      pools.flatMap(({ pool }) => (pool instanceof Error ? [] : pool.config)),
    );
    const curves = pools.map(({ address, pool }): Curve | AccountFault => {
      if (pool instanceof Error) return pool;
      const config = configs.get(pool.config) as CurveConfig | AccountFault;
      return config instanceof Error ? config : { address, pool, config };
    });
    return { curves, accounts: accounts.slice(addresses.length) };
  }

  /** @returns each config by its address */
  async readConfigs(addresses: readonly string[]) {
    const configs = new Map<string, CurveConfig | AccountFault | undefined>(
      addresses.map((address) => [address, this.#configs.get(address)]),
    );
    const unknown = [...configs.keys()].filter((address) => !configs.get(address));
    const accounts = await readAccounts(
      this.connection,
      unknown.map((address) => new PublicKey(address)),
    );
    for (const [index, address] of unknown.entries()) {
      const config = tryRead(accounts[index], [dbc, "PoolConfig"], address);
      configs.set(address, config);
      if (!(config instanceof Error)) this.#configs.set(address, config);
    }
    return configs;
  }
}
