import { createHmac } from "node:crypto";
import {
  type Connection,
  type Keypair,
  PublicKey,
  type TransactionInstruction,
} from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { buysFirstAtLowestFee } from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2_CONFIGS } from "@tokenctl/shared/programs/ids";
import { buyFirst, createPool, launchPrice, type NewPool } from "@tokenctl/shared/programs/recipes";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import { generateKeypair, keypairFromSeed } from "../../base/native-keys.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { PoolTerms } from "../../domain/token.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import type {
  CurveProgress,
  MigrationProgram,
  PoolProgram,
  UnreadableFees,
} from "../pool-program.ts";
import { checkConfig } from "./check-config.ts";
import { meteoraFees, sourceOf, tokenOf } from "./claim.ts";
import { poolAfter } from "./liquidity-reader.ts";
import { MarketReader } from "./market-reader.ts";
import { poolTerms } from "./pool-terms.ts";
import { builder, CurveReader, instruction, toInstruction, tokenProgramOf } from "./programs.ts";

interface MeteoraDeps {
  readonly connection: Connection;
  /** Pays for launches and creates their pools, unless agents pay; null if agents pay for all. */
  readonly launchWallet: PublicKey | null;
  /** The DBC config of new pools, made by `tokend config create`. */
  readonly config: PublicKey;
  /** The mints' keys are derived from it. At least 32 bytes; never changes. */
  readonly secret: Uint8Array;
  /** The base URL of the metadata documents: the server's, unless another is set. */
  readonly publicUrl: string;
}

/** The launchpad of real clusters: Meteora's Dynamic Bonding Curve, then its DAMM v2. */
export function meteoraProgram(deps: MeteoraDeps): PoolProgram {
  const { connection, launchWallet, config, secret, publicUrl } = deps;
  const curves = new CurveReader(connection);
  const markets = new MarketReader(connection, curves);
  // A config never changes.
  let terms: PoolTerms | null = null;
  const readConfig = async () => {
    const address = config.toBase58();
    const read = (await curves.readConfigs([address])).get(address);
    if (read && !(read instanceof Error)) return read;
    throw new ChainUnavailableError(`DBC_CONFIG cannot be used: ${read?.message}`, read);
  };
  return {
    ...meteoraFees(connection, curves),
    readPools: (tokens) => markets.read(tokens),
    sourceOf,
    async checkConfig(through = connection) {
      const longest = metadataUri(publicUrl, "1".repeat(MAX_ADDRESS_CHARACTERS));
      if (Buffer.byteLength(longest) > MAX_URI_BYTES) {
        return `PUBLIC_URL is too long: addresses of metadata have to fit into ${MAX_URI_BYTES} bytes.`;
      }
      return checkConfig(through, config);
    },

    addresses(eventId) {
      const tokenMint = mintKeypair(secret, eventId).publicKey.toBase58();
      return { tokenMint, poolAddress: curvePoolAddress(config.toBase58(), tokenMint) };
    },

    async launch(order) {
      const payer = order.payer === "agent" ? new PublicKey(order.wallet) : launchWallet;
      if (payer === null) throw new Error("there is no launch wallet");
      const mint = mintKeypair(secret, order.eventId);
      const under = await readConfig();
      const tokenProgram = tokenProgramOf(under.tokenType);
      const uri = metadataUri(publicUrl, mint.publicKey.toBase58());
      const texts = { name: onChainNameOf(order), symbol: onChainSymbol(order.ticker), uri };
      const pool = {
        config: config.toBase58(),
        mint: mint.publicKey.toBase58(),
        payer: payer.toBase58(),
        tokenProgram,
        ...texts,
      };
      const textBytes = Buffer.byteLength(Object.values(texts).join(""));
      const price = launchPrice(tokenProgram, textBytes, Boolean(order.firstBuy));
      return {
        instructions: launchInstructions(pool, order, buysFirstAtLowestFee(under)),
        signers: [mint],
        metadataUri: uri,
        rentBytes: price.rentBytes,
        creationLamports: price.metadataLamports + under.poolCreationFee,
      };
    },

    async terms() {
      terms ??= poolTerms(config, await readConfig());
      return terms;
    },
  };
}

/**
 * Creates the mint and its pool, and makes the agent the pool's creator. A new pool needs its
 * creator's signature. If the agent does not pay, it does not sign: the launch wallet creates the
 * pool and hands it over in the same transaction, so the fees never belong to anyone but the agent.
 */
export function launchInstructions(
  pool: NewPool,
  { wallet, firstBuy }: Pick<LaunchOrder, "wallet" | "firstBuy">,
  atLowestFee: boolean,
): TransactionInstruction[] {
  const { config, mint, payer } = pool;
  const bought = () => (firstBuy ? buyFirst(builder, pool, { ...firstBuy, atLowestFee }) : []);
  const virtualPool = curvePoolAddress(config, mint);
  const given = { virtualPool, config, creator: payer, newCreator: wallet };
  const rest =
    wallet === payer ? bought() : [builder.build(dbc, "transfer_pool_creator", given, {})];
  return [createPool(builder, pool), ...rest].map(toInstruction);
}

/** Separates these keys from all others that are derived from the same secret. */
const MINT_DOMAIN = "tokend:meteora:mint:v1:";

/**
 * Derives a launch's mint from only the secret (at least 32 bytes) and the event. A mint is created
 * once, so two attempts cannot both land, whatever else changes between them.
 */
export function mintKeypair(secret: Uint8Array, eventId: string): Keypair {
  const seed = createHmac("sha256", secret).update(MINT_DOMAIN).update(eventId).digest();
  return keypairFromSeed(seed);
}

function curvePoolAddress(config: string, mint: string): string {
  return builder.poolAddress(dbc.id, config, [mint, WRAPPED_SOL_MINT]);
}

/** The limit of Token Metadata in UTF-8. Source: https://developers.metaplex.com/token-metadata */
const MAX_URI_BYTES = 200;
/** The longest base58 text of 32 bytes. */
const MAX_ADDRESS_CHARACTERS = 44;

/** @example metadataUri("https://t.example", mint) // "https://t.example/metadata/<mint>.json" */
function metadataUri(publicUrl: string, mint: string): string {
  return `${publicUrl.replace(/\/+$/, "")}/metadata/${mint}.json`;
}

/** `LockedVesting` of `MigrationProgress`: the curve is complete, with a locker if it needs one. */
const READY_TO_MIGRATE = 2;

/** The migration of Meteora's curves to its DAMM v2, paid by the launch wallet. */
export function meteoraMigration(connection: Connection, payer: PublicKey): MigrationProgram {
  const curves = new CurveReader(connection);
  return {
    async readProgress(tokens) {
      const read = await curves.read(tokens);
      return read.curves.map((curve): CurveProgress | UnreadableFees => {
        if (curve instanceof Error) return { unreadable: curve.message };
        const { isMigrated, finishCurveTimestamp: at } = curve.pool;
        return { isMigrated: isMigrated !== 0, completedAt: at === 0n ? null : Number(at) * 1_000 };
      });
    },

    async migration(token) {
      const [curve] = (await curves.read([token])).curves;
      if (!curve || curve instanceof Error) throw curve;
      const { pool, mint, tokenProgram } = tokenOf(curve);
      if (curve.pool.migrationProgress !== READY_TO_MIGRATE) {
        throw new TokenUnreadableError(
          `The pool ${pool} is not complete, or its config locks tokens for someone: that needs a locker first`,
        );
      }
      const [first, second] = [generateKeypair(), generateKeypair()];
      const secondNft = second.publicKey.toBase58();
      const given = {
        virtualPool: pool,
        config: curve.pool.config,
        pool: poolAfter(curve).toBase58(),
        firstPositionNftMint: first.publicKey.toBase58(),
        secondPositionNftMint: secondNft,
        secondPositionNftAccount: builder.derived(dammV2.id, "position_nft_account", secondNft),
        secondPosition: builder.derived(dammV2.id, "position", secondNft),
        baseMint: mint,
        payer: payer.toBase58(),
        tokenBaseProgram: tokenProgram,
      };
      const dammConfig = DAMM_V2_CONFIGS[curve.config.migrationFeeOption] as string;
      const migrate = instruction(dbc, "migration_damm_v2", given, {}, [dammConfig]);
      return { instructions: [migrate], signers: [first, second] };
    },
  };
}
