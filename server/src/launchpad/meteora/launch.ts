import {
  deriveDbcEventAuthority,
  deriveDbcPoolAuthority,
  deriveDbcTokenVaultAddress,
  deriveMintMetadata,
  METAPLEX_PROGRAM_ID,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { fitBytes } from "@tokenctl/shared/fit-bytes";
import { onChainName } from "@tokenctl/shared/token-name";
import type { LaunchOrder } from "../launchpad.ts";
import { curvePoolAddress } from "./addresses.ts";
import { MAX_SYMBOL_BYTES } from "./on-chain-text.ts";
import type { MeteoraPrograms } from "./programs.ts";

export interface LaunchTerms {
  readonly order: LaunchOrder;
  readonly mint: PublicKey;
  /** Address of the metadata document. */
  readonly uri: string;
  readonly config: PublicKey;
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
  const create = programs.curve.methods
    .initializeVirtualPoolWithSplToken({
      name: onChainName(order.name),
      symbol: fitBytes(order.ticker, MAX_SYMBOL_BYTES),
      uri: terms.uri,
    })
    .accountsStrict({
      config,
      poolAuthority: deriveDbcPoolAuthority(),
      creator: launchWallet,
      baseMint: mint,
      quoteMint: NATIVE_MINT,
      pool,
      baseVault: deriveDbcTokenVaultAddress(pool, mint),
      quoteVault: deriveDbcTokenVaultAddress(pool, NATIVE_MINT),
      mintMetadata: deriveMintMetadata(mint),
      metadataProgram: METAPLEX_PROGRAM_ID,
      payer: launchWallet,
      tokenQuoteProgram: TOKEN_PROGRAM_ID,
      tokenProgram: TOKEN_PROGRAM_ID,
      systemProgram: SystemProgram.programId,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    });
  if (agent.equals(launchWallet)) return [await create.instruction()];
  const handOver = programs.curve.methods.transferPoolCreator().accountsStrict({
    virtualPool: pool,
    config,
    creator: launchWallet,
    newCreator: agent,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  });
  return [await create.instruction(), await handOver.instruction()];
}
