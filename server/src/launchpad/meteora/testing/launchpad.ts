import { randomUUID } from "node:crypto";
import type { ConfigParameters } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT } from "@solana/spl-token";
import { type Keypair, PublicKey } from "@solana/web3.js";
import { generateKeypair } from "../../../base/native-keys.ts";
import type { LaunchOrder } from "../../../domain/launch.ts";
import type { TokenRef } from "../../../domain/token.ts";
import type { Store } from "../../../store/store.ts";
import { newAttempt, newLaunch } from "../../../store/testing/rows.ts";
import type { PoolProgram } from "../../pool-program.ts";
import { type ConfigTerms, DEFAULT_CONFIG_TERMS } from "../config-terms.ts";
import { configParameters, createConfig } from "../create-config.ts";
import { meteoraProgram } from "../launch.ts";
import { type MeteoraCluster, openCluster } from "./cluster.ts";
import { meteoraClients } from "./sdk.ts";
import { send } from "./send.ts";

export const SOL = 1_000_000_000n;
const PUBLIC_URL = "https://tokens.example";
const SECRET = new Uint8Array(32).fill(7);

export interface TestLaunchpad {
  readonly cluster: MeteoraCluster;
  readonly program: PoolProgram;
  readonly config: PublicKey;
  readonly launchWallet: Keypair;
}

export interface TestToken {
  readonly order: LaunchOrder;
  readonly ref: TokenRef;
  readonly mint: PublicKey;
  readonly pool: PublicKey;
  readonly signature: string;
}

/** Creates a config as `tokend config create` does, and the program that uses it. */
export async function openLaunchpad(
  cluster: MeteoraCluster,
  terms: Partial<ConfigTerms> = {},
): Promise<TestLaunchpad> {
  const launchWallet = cluster.wallet(10n * SOL);
  const { config, instructions, signers } = createConfig(launchWallet.publicKey, {
    ...DEFAULT_CONFIG_TERMS,
    ...terms,
  });
  await send(cluster.connection, instructions, [launchWallet, ...signers]);
  return { cluster, config, launchWallet, program: programFor(cluster, launchWallet, config) };
}

export async function makeConfig(
  { connection }: MeteoraCluster,
  launchWallet: Keypair,
  changes: Partial<ConfigParameters>,
  quoteMint: PublicKey = NATIVE_MINT,
): Promise<PublicKey> {
  const config = generateKeypair();
  const { instructions } = await meteoraClients(connection).curve.partner.createConfig({
    ...configParameters(DEFAULT_CONFIG_TERMS),
    ...changes,
    config: config.publicKey,
    feeClaimer: launchWallet.publicKey,
    leftoverReceiver: launchWallet.publicKey,
    quoteMint,
    payer: launchWallet.publicKey,
  });
  await send(connection, instructions, [launchWallet, config]);
  return config.publicKey;
}

export function programFor(
  cluster: Pick<MeteoraCluster, "connection">,
  launchWallet: Keypair,
  config: PublicKey,
  publicUrl = PUBLIC_URL,
): PoolProgram {
  const { connection } = cluster;
  return meteoraProgram({
    connection,
    launchWallet: launchWallet.publicKey,
    config,
    secret: SECRET,
    publicUrl,
  });
}

/** A launchpad on a new cluster, and a trader with 2,000 SOL. */
export async function openMarket(
  terms: Partial<ConfigTerms>,
): Promise<{ launchpad: TestLaunchpad; trader: Keypair }> {
  const launchpad = await openLaunchpad(await openCluster(), terms);
  return { launchpad, trader: launchpad.cluster.wallet(2_000n * SOL) };
}

export async function launch(
  { cluster, program, launchWallet }: TestLaunchpad,
  wallet: PublicKey,
  about: Partial<LaunchOrder> = {},
): Promise<TestToken> {
  const order: LaunchOrder = {
    eventId: randomUUID(),
    wallet: wallet.toBase58(),
    name: "Agent Coin",
    ticker: "AGENT",
    ...about,
  };
  const { instructions, signers } = await program.launch(order);
  const signature = await send(cluster.connection, instructions, [launchWallet, ...signers]);
  const ref = program.addresses(order.eventId);
  return {
    order,
    ref,
    mint: new PublicKey(ref.tokenMint),
    pool: new PublicKey(ref.poolAddress),
    signature,
  };
}

/** Stores the launches of tokens that have succeeded. */
export async function storeTokens(store: Store, tokens: readonly TestToken[]): Promise<void> {
  for (const { order, ref, signature } of tokens) {
    const { eventId, wallet, ticker } = order;
    await store.launches.insert([newLaunch(ticker, { eventId, wallet })]);
    const launch = await store.launches.lease(eventId, 60_000);
    if (launch?.eventId !== eventId) throw new Error(`${ticker} is not due`);
    await store.launches.recordAttempt(eventId, eventId, {
      ...newAttempt(ticker),
      ...ref,
      signature,
    });
    await store.launches.succeed(launch, { leaseId: eventId }, ref);
  }
}
