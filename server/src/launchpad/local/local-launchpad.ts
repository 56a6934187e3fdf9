import type { Clock } from "../../base/clock.ts";
import { createRpcHandler } from "../../localnet/rpc/handler.ts";
import { type ConnectionOptions, createConnection } from "../../solana/connection.ts";
import { keypairSigner } from "../../solana/wallet-signer.ts";
import { chainLaunchpad } from "../chain/chain-launchpad.ts";
import { chainContext } from "../chain/context.ts";
import type { CrashPoint } from "../crash-point.ts";
import { signing } from "../signing/signing.ts";
import { deriveKeypair } from "./accounts.ts";
import { localProgram } from "./local-program.ts";
import { localSandbox, type SandboxOptions } from "./sandbox.ts";

interface LocalLaunchpadOptions extends SandboxOptions {
  readonly clock: Clock;
  readonly onRpc?: ConnectionOptions["onRpc"];
  readonly minAgentLamports?: bigint;
  readonly crashPoint?: CrashPoint | undefined;
}

/** This name is never resolved: requests do not leave this process. */
const ENDPOINT = "http://localnet.invalid";

/** A transaction lands while it is sent, so the first tick finds it. In milliseconds. */
const TICK_MS = 5;

const SOL = 1_000_000_000n;
/** Below this balance the launch wallet is refilled; it pays for some 1,000 launches. */
const LOW_LAMPORTS = 10n * SOL;
const REFILL_LAMPORTS = 1_000n * SOL;

/** The embedded chain's launchpad and market. The launch wallet is its own and never runs dry. */
export function localLaunchpad(options: LocalLaunchpadOptions) {
  const { chain, secret, onRpc } = options;
  const handle = createRpcHandler(chain);
  const connection = createConnection(ENDPOINT, {
    fetch: (input, init) => handle(new Request(input, init)),
    onRpc,
  });
  const wallet = deriveKeypair(secret, "wallet");
  const refill = () => {
    if (chain.getBalance(wallet.publicKey) >= LOW_LAMPORTS) return;
    chain.airdrop(wallet.publicKey, REFILL_LAMPORTS);
  };
  refill();
  const program = localProgram({
    ...options,
    connection,
    launchWallet: wallet.publicKey,
    rentExemption: (bytes) => chain.rentExemption(bytes),
  });
  const context = chainContext({
    ...options,
    connection,
    wallet: keypairSigner(wallet),
    program: {
      ...program,
      launch(order) {
        refill();
        return program.launch(order);
      },
    },
    // No transactions compete for the chain's blocks.
    feeCaps: { maxPriorityMicroLamports: 0n, maxTransactionFeeLamports: SOL },
    // Sandbox SOL is free, so spending has no limits.
    limits: null,
    confirmer: { tickMs: TICK_MS },
  });
  return {
    launchpad: chainLaunchpad(context),
    signing: signing(context),
    sandbox: localSandbox(options),
    terms: program.terms,
  };
}
