import { createHmac } from "node:crypto";
import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  deriveDammV2PoolAddress,
  deriveDbcPoolAddress,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT } from "@solana/spl-token";
import type { Keypair, PublicKey } from "@solana/web3.js";
import { keypairFromSeed } from "../../base/native-keys.ts";

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

/**
 * The DAMM v2 pool to which a curve migrates.
 *
 * @param migrationFeeOption as in the DBC config: 0 to 5 fixed fees, 6 set by the config
 * @throws {RangeError} the option does not migrate to DAMM v2
 */
export function liquidityPoolAddress(migrationFeeOption: number, mint: PublicKey): PublicKey {
  const dammConfig = DAMM_V2_MIGRATION_FEE_ADDRESS[migrationFeeOption];
  if (dammConfig === undefined) {
    throw new RangeError(`no DAMM v2 config for migration fee option ${migrationFeeOption}`);
  }
  return deriveDammV2PoolAddress(dammConfig, mint, NATIVE_MINT);
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
