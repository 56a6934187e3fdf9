import { createHmac } from "node:crypto";
import {
  deriveDbcEventAuthority,
  deriveDbcPoolAddress,
  deriveDbcPoolAuthority,
  deriveDbcTokenVaultAddress,
  deriveMintMetadata,
  METAPLEX_PROGRAM_ID,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import { keypairFromSeed } from "../../base/native-keys.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { MeteoraPrograms } from "./programs.ts";

export interface LaunchTerms {
  readonly order: LaunchOrder;
  readonly mint: PublicKey;
  readonly uri: string;
  readonly config: PublicKey;
  /** SPL Token or Token-2022, as the config says. */
  readonly tokenProgram: PublicKey;
  readonly launchWallet: PublicKey;
}

/**
 * Creates the mint and its pool, and makes the agent the pool's creator. A new pool needs its
 * creator's signature, and the agent's is not available. So the launch wallet creates the pool and
 * hands it over in the same transaction: the fees never belong to anyone but the agent.
 */
export async function launchInstructions(
  programs: MeteoraPrograms,
  terms: LaunchTerms,
): Promise<TransactionInstruction[]> {
  const { order, mint, config, launchWallet } = terms;
  const agent = new PublicKey(order.wallet);
  const pool = curvePoolAddress(config, mint);
  const create = await createPool(programs, terms, pool);
  if (agent.equals(launchWallet)) return [create];
  const handOver = programs.curve.methods.transferPoolCreator().accountsStrict({
    virtualPool: pool,
    config,
    creator: launchWallet,
    newCreator: agent,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  });
  return [create, await handOver.instruction()];
}

function createPool(
  programs: MeteoraPrograms,
  { order, mint, config, tokenProgram, launchWallet, uri }: LaunchTerms,
  pool: PublicKey,
): Promise<TransactionInstruction> {
  const text = {
    name: onChainNameOf(order),
    symbol: onChainSymbol(order.ticker),
    uri,
  };
  const accounts = {
    config,
    poolAuthority: deriveDbcPoolAuthority(),
    creator: launchWallet,
    baseMint: mint,
    quoteMint: NATIVE_MINT,
    pool,
    baseVault: deriveDbcTokenVaultAddress(pool, mint),
    quoteVault: deriveDbcTokenVaultAddress(pool, NATIVE_MINT),
    payer: launchWallet,
    tokenQuoteProgram: TOKEN_PROGRAM_ID,
    tokenProgram,
    systemProgram: SystemProgram.programId,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  };
  if (tokenProgram.equals(TOKEN_2022_PROGRAM_ID)) {
    return programs.curve.methods
      .initializeVirtualPoolWithToken2022(text)
      .accountsStrict(accounts)
      .instruction();
  }
  return programs.curve.methods
    .initializeVirtualPoolWithSplToken(text)
    .accountsStrict({
      ...accounts,
      mintMetadata: deriveMintMetadata(mint),
      metadataProgram: METAPLEX_PROGRAM_ID,
    })
    .instruction();
}

/** Separates these keys from all others that are derived from the same secret. */
const MINT_DOMAIN = "tokend:meteora:mint:v1:";

/**
 * The mint of a launch. It depends only on the secret and the event, not on the config. A mint account
 * can be created once, so two attempts cannot both land, whatever else changes between them.
 *
 * @param secret the server's secret, at least 32 bytes
 */
export function mintKeypair(secret: Uint8Array, eventId: string): Keypair {
  const seed = createHmac("sha256", secret).update(MINT_DOMAIN).update(eventId).digest();
  return keypairFromSeed(seed);
}

/** The bonding curve pool of a mint against wrapped SOL under a config. */
export function curvePoolAddress(config: PublicKey, mint: PublicKey): PublicKey {
  return deriveDbcPoolAddress(NATIVE_MINT, mint, config);
}

/** Most bytes of UTF-8 that Token Metadata stores. Source: https://developers.metaplex.com/token-metadata */
export const MAX_URI_BYTES = 200;

/**
 * The address of a token's metadata document.
 *
 * @param publicUrl the server's public URL, with or without a slash at its end
 * @example metadataUri("https://t.example", mint) // "https://t.example/metadata/<mint>.json"
 */
export function metadataUri(publicUrl: string, mint: string): string {
  return `${publicUrl.replace(/\/+$/, "")}/metadata/${mint}.json`;
}
