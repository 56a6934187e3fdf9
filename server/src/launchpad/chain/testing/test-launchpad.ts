import { randomUUID } from "node:crypto";
import { MINT_SIZE, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import type { Keypair } from "@solana/web3.js";
import type { Clock } from "../../../base/clock.ts";
import { generateKeypair } from "../../../base/native-keys.ts";
import type { LaunchBudget } from "../../../domain/intake-limits.ts";
import type { LaunchOrder } from "../../../domain/launch.ts";
import { LocalChain } from "../../../localnet/chain.ts";
import { SLOT_MS } from "../../../localnet/slots.ts";
import {
  type ConnectionOptions,
  createConnection,
  type RpcFetch,
} from "../../../solana/connection.ts";
import { StalledNode } from "../../../solana/health.ts";
import type { FeeCaps } from "../../../solana/message.ts";
import { FaultyRpc } from "../../../solana/testing/faulty-rpc.ts";
import { keypairSigner } from "../../../solana/wallet-signer.ts";
import { ManualClock } from "../../../testing/manual-clock.ts";
import type { CrashPoint } from "../../crash-point.ts";
import { deriveKeypair } from "../../local/accounts.ts";
import { localProgram } from "../../local/local-program.ts";
import { localSandbox } from "../../local/sandbox.ts";
import type { MigrationProgram, PoolProgram } from "../../pool-program.ts";
import { type Signing, signing } from "../../signing/signing.ts";
import { chainLaunchpad, type Launchpad, PROBE_TIMEOUT_MS } from "../chain-launchpad.ts";
import type { ClusterIdentity } from "../cluster.ts";
import { type ChainLaunchpadOptions, chainContext } from "../context.ts";
import type { WalletLimits } from "../wallet-guard.ts";
import { Journal } from "./journal.ts";

export const SOL = 1_000_000_000n;
export const WIDE_LIMITS: WalletLimits & FeeCaps = {
  minWalletLamports: 0n,
  maxDailySpendLamports: null,
  maxPriorityMicroLamports: 1_000_000n,
  maxTransactionFeeLamports: 1_000_000n,
};
const SECRET = new Uint8Array(32).fill(7);

export type WholeLaunchpad = Launchpad & Signing & LaunchBudget;

export function wholeLaunchpad(
  options: ChainLaunchpadOptions,
  migrations?: MigrationProgram,
): WholeLaunchpad {
  const chain = chainContext(options);
  const dayBudget = () => chain.guard.dayBudget();
  return { ...chainLaunchpad(chain, migrations), ...signing(chain), dayBudget };
}

export interface TestLaunchpadOptions extends Pick<ChainLaunchpadOptions, "payers"> {
  readonly isWalletless?: boolean;
  /** Carries the requests of probes, with their own time-out. Default: like all other requests. */
  readonly probeFetch?: RpcFetch;
  readonly limits?: Partial<WalletLimits & FeeCaps>;
  /** What an agent's wallet must hold. */
  readonly minAgentLamports?: bigint;
  readonly crashPoint?: CrashPoint;
  readonly confirmer?: ChainLaunchpadOptions["confirmer"];
  /** The launch wallet's lamports. */
  readonly funds?: bigint;
  readonly program?: (inner: PoolProgram) => PoolProgram;
}

/**
 * A launchpad on an embedded chain, with a faulty RPC between them. Pauses take no time: each
 * advances the chain by the slots that would have passed.
 */
export function testLaunchpad(options: TestLaunchpadOptions = {}) {
  const clock = new ManualClock();
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock });
  const rpc = FaultyRpc.of(chain);
  const connect = (others: ConnectionOptions = {}) =>
    createConnection("http://user:secret@localnet.invalid/?api-key=secret", {
      fetch: rpc.fetch,
      onRpc: (_, outcome) => rpc.outcomes.push(outcome),
      ...others,
    });
  const connection = connect();
  const wallet = deriveKeypair(SECRET, "wallet");
  const funds = options.funds ?? 100n * SOL;
  if (funds > 0n) chain.airdrop(wallet.publicKey, funds);
  const programOf = (payer: Keypair, through = connection) =>
    localProgram({
      connection: through,
      launchWallet: payer.publicKey,
      secret: SECRET,
      rentExemption: (bytes) => chain.rentExemption(bytes),
      feeBps: 100,
      graduationLamports: 85n * SOL,
    });
  const pause = async (milliseconds: number) => {
    clock.advance(Math.max(milliseconds, SLOT_MS));
    // Lets timers run, so that a test that hangs reaches its time limit. Late in a worker of Bun, each
    // setImmediate took 0.1 s.
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  const limits = { ...WIDE_LIMITS, ...options.limits };
  /** A launchpad as after a restart, without the memory of the one before. */
  const restart = (
    payer: Keypair | null = options.isWalletless ? null : wallet,
    cluster?: ClusterIdentity,
  ) => {
    const before = cluster && (() => cluster.verify());
    const guarded = before ? connect({ before }) : connection;
    const program = programOf(payer ?? wallet, guarded);
    const launchpad = wholeLaunchpad({
      connection: guarded,
      ...(cluster && { cluster, probeConnection: connection }),
      ...(options.probeFetch && { probeConnection: probing(options.probeFetch, clock) }),
      wallet: payer && keypairSigner(payer),
      ...(options.payers && { payers: options.payers }),
      program: options.program?.(program) ?? program,
      clock,
      limits: payer && limits,
      feeCaps: limits,
      minAgentLamports: options.minAgentLamports ?? 0n,
      confirmer: { pause, ...options.confirmer },
      stalledNode: new StalledNode(clock),
      ...(options.crashPoint && { crashPoint: options.crashPoint }),
    });
    return settling(launchpad);
  };
  return {
    chain,
    clock,
    connection,
    rpc,
    wallet,
    program: programOf(wallet),
    secret: SECRET,
    pause,
    restart,
    launchpad: restart(),
    sandbox: localSandbox({
      chain,
      secret: SECRET,
      feeBps: 100,
      graduationLamports: 85n * SOL,
    }),
    mints: () =>
      [...chain.accounts.ownedBy(TOKEN_PROGRAM_ID)].filter(
        ({ account }) => account.data.length === MINT_SIZE,
      ).length - GENESIS_MINTS,
  };
}

/** The mint of wrapped SOL and the sandbox's; the one of Token-2022 belongs to that program. */
const GENESIS_MINTS = 2;

/** Ends the reservation of a launch that succeeds, as the worker does. */
function settling(launchpad: WholeLaunchpad): WholeLaunchpad {
  return {
    ...launchpad,
    async deploy(launch, journal, signal) {
      const token = await launchpad.deploy(launch, journal, signal);
      if (journal instanceof Journal) journal.end();
      return token;
    },
  };
}

function probing(fetch: RpcFetch, clock: Clock) {
  const timeoutMs = PROBE_TIMEOUT_MS;
  return createConnection("http://localnet.invalid", { fetch, timeoutMs, clock });
}

export const never = new AbortController().signal;

export function order(wallet = generateKeypair().publicKey.toBase58()): LaunchOrder {
  return { eventId: randomUUID(), wallet, name: "Wif hat", ticker: "WIF" };
}

/** Calls until it succeeds, as the worker does. @returns its value and all errors before */
export async function insist<T>(
  attempt: () => Promise<T>,
  between: (error: unknown) => void = () => {},
): Promise<{ value: T; errors: unknown[] }> {
  const errors: unknown[] = [];
  for (let tries = 0; tries < 500; tries++) {
    try {
      return { value: await attempt(), errors };
    } catch (error) {
      errors.push(error);
      between(error);
    }
  }
  throw new Error(`500 attempts failed, at last with: ${errors.at(-1)}`);
}
