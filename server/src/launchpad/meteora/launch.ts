import {
  deriveDbcEventAuthority,
  deriveDbcPoolAuthority,
  deriveDbcTokenVaultAddress,
  deriveMintMetadata,
  METAPLEX_PROGRAM_ID,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import type { LaunchOrder } from "../../domain/launch.ts";
import { curvePoolAddress } from "./addresses.ts";
import type { MeteoraPrograms } from "./programs.ts";

export interface LaunchTerms {
  readonly order: LaunchOrder;
  readonly mint: PublicKey;
  /** Address of the metadata document. */
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
