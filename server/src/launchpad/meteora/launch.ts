import { createHmac } from "node:crypto";
import {
  deriveDbcEventAuthority,
  deriveDbcPoolAddress,
  deriveDbcPoolAuthority,
  deriveDbcTokenVaultAddress,
  deriveMintMetadata,
  METAPLEX_PROGRAM_ID,
  TokenType,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import BN from "bn.js";
import { keypairFromSeed } from "../../base/native-keys.ts";
import type { FirstBuy, LaunchOrder } from "../../domain/launch.ts";
import type { NewToken } from "../pool-program.ts";
import type { MeteoraPrograms } from "./programs.ts";

export interface LaunchTerms {
  readonly order: LaunchOrder;
  readonly mint: PublicKey;
  readonly uri: string;
  readonly config: PublicKey;
  readonly tokenProgram: PublicKey;
  /** Pays, and creates the pool: the launch wallet, or the agent itself. */
  readonly payer: PublicKey;
}

/**
 * Creates the mint and its pool, and makes the agent the pool's creator. A new pool needs its
 * creator's signature. If the agent does not pay, that is not available: the launch wallet creates the pool
 * and hands it over in the same transaction, so the fees never belong to anyone but the agent.
 */
export async function launchInstructions(
  programs: MeteoraPrograms,
  terms: LaunchTerms,
): Promise<TransactionInstruction[]> {
  const { order, mint, config, payer } = terms;
  const agent = new PublicKey(order.wallet);
  const pool = curvePoolAddress(config, mint);
  const create = await createPool(programs, terms, pool);
  if (agent.equals(payer)) {
    return order.firstBuy ? [create, ...(await buy(programs, terms, order.firstBuy))] : [create];
  }
  const handOver = programs.curve.methods.transferPoolCreator().accountsStrict({
    virtualPool: pool,
    config,
    creator: payer,
    newCreator: agent,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  });
  return [create, await handOver.instruction()];
}

/** Bytes of the mint, the pool, its vaults and, with SPL Token, the metadata; and of the agent's account. */
const BYTES = {
  [TokenType.SPLToken]: { created: 2_155n, account: 293n },
  // The mint holds the texts, and each account the mark that its owner never changes.
  [TokenType.Token2022]: { created: 1_584n, account: 298n },
};

/** What Token Metadata takes for each token. Source: Metaplex's documentation, Protocol Fees. */
const METADATA_LAMPORTS = 10_000_000n;

/** @param textBytes of name, symbol and URI. @param isBuying makes the agent an account */
export function launchPrice(
  type: TokenType,
  textBytes: number,
  isBuying: boolean,
): Pick<NewToken, "rentBytes" | "creationLamports"> {
  const { created, account } = BYTES[type];
  const isToken2022 = type === TokenType.Token2022;
  return {
    rentBytes: created + (isToken2022 ? BigInt(textBytes) : 0n) + (isBuying ? account : 0n),
    creationLamports: isToken2022 ? 0n : METADATA_LAMPORTS,
  };
}

function createPool(
  programs: MeteoraPrograms,
  { order, mint, config, tokenProgram, payer, uri }: LaunchTerms,
  pool: PublicKey,
): Promise<TransactionInstruction> {
  const text = { name: onChainNameOf(order), symbol: onChainSymbol(order.ticker), uri };
  const accounts = {
    config,
    poolAuthority: deriveDbcPoolAuthority(),
    creator: payer,
    baseMint: mint,
    quoteMint: NATIVE_MINT,
    pool,
    baseVault: deriveDbcTokenVaultAddress(pool, mint),
    quoteVault: deriveDbcTokenVaultAddress(pool, NATIVE_MINT),
    payer,
    tokenQuoteProgram: TOKEN_PROGRAM_ID,
    tokenProgram,
    systemProgram: SystemProgram.programId,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  };
  const { methods } = programs.curve;
  if (tokenProgram.equals(TOKEN_2022_PROGRAM_ID)) {
    return methods.initializeVirtualPoolWithToken2022(text).accountsStrict(accounts).instruction();
  }
  const metadata = { mintMetadata: deriveMintMetadata(mint), metadataProgram: METAPLEX_PROGRAM_ID };
  return methods
    .initializeVirtualPoolWithSplToken(text)
    .accountsStrict({ ...accounts, ...metadata })
    .instruction();
}

/** Separates these keys from all others that are derived from the same secret. */
const MINT_DOMAIN = "tokend:meteora:mint:v1:";

/**
 * The mint of a launch, by the secret (at least 32 bytes) and the event alone: a mint is created
 * once, so two attempts cannot both land, whatever else changes between them.
 */
export function mintKeypair(secret: Uint8Array, eventId: string): Keypair {
  const seed = createHmac("sha256", secret).update(MINT_DOMAIN).update(eventId).digest();
  return keypairFromSeed(seed);
}

export function curvePoolAddress(config: PublicKey, mint: PublicKey): PublicKey {
  return deriveDbcPoolAddress(NATIVE_MINT, mint, config);
}

/** Most bytes of UTF-8 that Token Metadata stores. Source: https://developers.metaplex.com/token-metadata */
export const MAX_URI_BYTES = 200;

/** @example metadataUri("https://t.example", mint) // "https://t.example/metadata/<mint>.json" */
export function metadataUri(publicUrl: string, mint: string): string {
  return `${publicUrl.replace(/\/+$/, "")}/metadata/${mint}.json`;
}

/** Buys exactly for `lamports`, wrapped before and unwrapped after, into the agent's own account. */
async function buy(
  programs: MeteoraPrograms,
  { mint, config, tokenProgram, payer }: LaunchTerms,
  { lamports, minUnits }: FirstBuy,
): Promise<TransactionInstruction[]> {
  const pool = curvePoolAddress(config, mint);
  const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, payer, true);
  const bought = getAssociatedTokenAddressSync(mint, payer, true, tokenProgram);
  const create = createAssociatedTokenAccountIdempotentInstruction;
  const swap = programs.curve.methods
    .swap({ amountIn: new BN(`${lamports}`), minimumAmountOut: new BN(`${minUnits}`) })
    .accountsStrict({
      poolAuthority: deriveDbcPoolAuthority(),
      config,
      pool,
      inputTokenAccount: wrapped,
      outputTokenAccount: bought,
      baseVault: deriveDbcTokenVaultAddress(pool, mint),
      quoteVault: deriveDbcTokenVaultAddress(pool, NATIVE_MINT),
      baseMint: mint,
      quoteMint: NATIVE_MINT,
      payer,
      tokenBaseProgram: tokenProgram,
      tokenQuoteProgram: TOKEN_PROGRAM_ID,
      referralTokenAccount: null,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    });
  return [
    create(payer, bought, payer, mint, tokenProgram),
    create(payer, wrapped, payer, NATIVE_MINT),
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: wrapped, lamports }),
    createSyncNativeInstruction(wrapped),
    await swap.instruction(),
    createCloseAccountInstruction(wrapped, payer, payer),
  ];
}
