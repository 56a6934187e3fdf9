import { PublicKey } from "@solana/web3.js";
import type { Logger } from "pino";
import type { LocalChainConfig, SolanaChainConfig } from "../chain-config.ts";
import type { Checkpoint } from "../checkpoint.ts";
import type { Clock } from "../clock.ts";
import { type Config, dataFiles } from "../config.ts";
import { LocalChain } from "../localnet/chain.ts";
import { readOrCreateSecret } from "../secret-file.ts";
import { type ConnectionOptions, createConnection } from "../solana/connection.ts";
import { permissionWarning, readKeypairFile } from "../solana/keypair-file.ts";
import { Standstill } from "./chain/standstill.ts";
import type { SpendBook } from "./chain/wallet-guard.ts";
import { ChainLaunchpad, type ChainLaunchpadOptions } from "./chain-launchpad.ts";
import type { Launchpad } from "./launchpad.ts";
import { localLaunchpad } from "./local/local-launchpad.ts";
import type { LocalSandbox } from "./local/sandbox.ts";

export interface OpenChainDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly spending: SpendBook;
  readonly onRpc?: ConnectionOptions["onRpc"];
  readonly checkpoint?: Checkpoint;
}

/** The chain that the configuration names, ready for launches. */
export interface OpenChain {
  readonly launchpad: Launchpad;
  /** The embedded chain's market; null on a real cluster. */
  readonly sandbox: LocalSandbox | null;
  close(): void;
}

/**
 * Opens the chain.
 *
 * @throws {Error} where a file of it cannot be used
 */
export async function openChain(config: Config, deps: OpenChainDeps): Promise<OpenChain> {
  const secret = readOrCreateSecret(dataFiles(config.dataDir).mintSecret);
  const { chain } = config;
  return chain.chain === "local"
    ? openLocal(config, chain, secret, deps)
    : openSolana(config, chain, secret, deps);
}

async function openLocal(
  config: Config,
  { feeBps, graduationLamports, history }: LocalChainConfig,
  secret: Uint8Array,
  deps: OpenChainDeps,
): Promise<OpenChain> {
  const { localLedger } = dataFiles(config.dataDir);
  const { clock, onRpc, checkpoint } = deps;
  const chain = LocalChain.open({ ledgerPath: localLedger, clock, history });
  try {
    const local = localLaunchpad({
      chain,
      clock,
      secret,
      feeBps,
      graduationLamports,
      ...(onRpc && { onRpc }),
      ...(checkpoint && { checkpoint }),
    });
    // The first look funds the launch wallet and waits for the disk: later ones need not.
    await local.launchpad.probe();
    return { ...local, close: () => chain.close() };
  } catch (error) {
    chain.close();
    throw error;
  }
}

async function openSolana(
  config: Config,
  { rpcUrl, launchKeypair, dbcConfig, spending }: SolanaChainConfig,
  secret: Uint8Array,
  deps: OpenChainDeps,
): Promise<OpenChain> {
  // Meteora's libraries take longer to load than all else: the embedded chain starts without them.
  const { meteoraProgram } = await import("./meteora/meteora-program.ts");
  const warning = permissionWarning(launchKeypair);
  if (warning !== null) deps.log.warn(warning);
  const wallet = readKeypairFile(launchKeypair);
  const connection = createConnection(rpcUrl, deps.onRpc ? { onRpc: deps.onRpc } : {});
  const program = meteoraProgram({
    connection,
    launchWallet: wallet,
    config: new PublicKey(dbcConfig),
    secret,
    publicUrl: config.publicUrl,
  });
  return {
    launchpad: new ChainLaunchpad({
      ...shared(deps),
      connection,
      wallet,
      program,
      limits: spending,
      standstill: new Standstill(deps.clock),
    }),
    sandbox: null,
    close: () => {},
  };
}

function shared({
  clock,
  spending,
  checkpoint,
}: OpenChainDeps): Pick<ChainLaunchpadOptions, "clock" | "spendBook" | "checkpoint"> {
  return { clock, spendBook: spending, ...(checkpoint && { checkpoint }) };
}
