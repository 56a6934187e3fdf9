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
  /** Where the metadata document will be. */
  readonly uri: string;
  readonly config: PublicKey;
  readonly launchWallet: PublicKey;
}

/**
 * Makes the mint and its pool, and the agent the pool's creator. Making a pool takes its creator's
 * signature and the agent is not there to give one, so the launch wallet makes it and hands it over
 * in the same transaction: at no slot do the fees belong to anyone but the agent.
 */
export async function launchInstructions(
  programs: MeteoraPrograms,
  plan: LaunchTerms,
): Promise<TransactionInstruction[]> {
  const { order, mint, config, launchWallet } = plan;
  const agent = new PublicKey(order.wallet);
  const pool = curvePoolAddress(config, mint);
  const create = programs.curve.methods
    .initializeVirtualPoolWithSplToken({
      name: onChainName(order.name),
      symbol: fitBytes(order.ticker, MAX_SYMBOL_BYTES),
      uri: plan.uri,
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
