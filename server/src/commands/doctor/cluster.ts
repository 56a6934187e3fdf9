import { type Connection, PublicKey } from "@solana/web3.js";
import { inTime } from "@tokenctl/shared/fee-words";
import { formatSol } from "@tokenctl/shared/sol";
import type { Clock } from "../../base/clock.ts";
import type { Config, SolanaChainConfig } from "../../config/config.ts";
import { meteoraProgram } from "../../launchpad/meteora/launch.ts";
import { type FeeSplit, readEarnings } from "../../launchpad/meteora/pool-terms.ts";
import { openWallet } from "../../solana/open-wallet.ts";
import { openRpc } from "../../solana/rpc-failover.ts";
import { Senders } from "../../solana/senders.ts";
import { attempt, type Finding, failure, messageOf, ok, warning } from "./finding.ts";
import { checkNode, checkNodes } from "./nodes.ts";
import { bindingOf } from "./storage.ts";
import { checkSigner, checkWallet } from "./wallet.ts";

export async function* checkCluster(
  server: Config,
  config: SolanaChainConfig,
  clock: Clock,
): AsyncGenerator<Finding> {
  const { launchWallet } = config;
  let wallet: PublicKey | null = null;
  try {
    const signer = launchWallet && (await openWallet(launchWallet, clock));
    wallet = signer?.publicKey ?? null;
    if (signer && launchWallet?.kind !== "keypair")
      yield* checkSigner(signer, server.limits, config);
  } catch (error) {
    yield failure("keypair", messageOf(error));
    return;
  }
  yield ok(
    "keypair",
    wallet?.toBase58() ??
      "none: agents pay for their launches; claims are not sponsored, and pools not migrated",
  );

  // Another check reports a database that cannot be read.
  const binding = await bindingOf(server).catch(() => null);
  const bound = binding?.genesisHash ?? null;
  using rpc = openRpc(config.rpcUrls, { genesisHash: bound });
  yield* checkNodes(rpc.nodes);
  const connection = rpc.connect();
  yield* checkSending(connection, config, bound);
  const isOne = rpc.nodes === null;
  if (!(yield* checkNode({ connection, bound, isOne }))) return;
  const program = meteoraProgram({
    connection,
    launchWallet: wallet,
    config: new PublicKey(config.dbcConfig),
    // Launches are only simulated here, so any secret will do.
    secret: new Uint8Array(32),
    publicUrl: server.metadataBaseUrl,
  });
  const launchpad = await attempt("launchpad", async () => {
    const problem = await program.checkConfig();
    if (problem !== null) return failure("launchpad", problem);
    return ok("launchpad", `programs are there, config ${config.dbcConfig} is usable`);
  });
  yield launchpad;
  if (launchpad.verdict === "ok") {
    yield await attempt("fees", () => checkFees(connection, config, wallet));
    if (wallet === null) return;
    if (server.limits.launches.payers.includes("operator")) {
      yield* checkWallet({ connection, wallet, program }, config, server.limits);
    }
  }
}

async function* checkSending(
  connection: Connection,
  { sendUrls, tip }: SolanaChainConfig,
  bound: string | null,
): AsyncGenerator<Finding> {
  const expected = bound ?? (await connection.getGenesisHash().catch(() => null));
  for (const { name, problem } of await new Senders(sendUrls, () => expected).check()) {
    if (problem === null) yield ok(name, "is on the same cluster: transactions go there too");
    else yield warning(name, `${problem}, so nothing goes there: see SEND_URLS`);
  }
  if (tip === null) return;
  yield ok("tip", `${formatSol(tip.lamports)} SOL for each transaction of the launch wallet`);
}

async function checkFees(
  connection: Connection,
  { dbcConfig }: SolanaChainConfig,
  wallet: PublicKey | null,
): Promise<Finding> {
  const earnings = await readEarnings(connection, new PublicKey(dbcConfig));
  const { partner, curve, later, firstBuy, volatility, pool, creation, vesting } = earnings;
  const { fee } = creation;
  const last = later.at(-1);
  const text = [
    `of each trade ${inWords(curve)}`,
    last && `, after ${inTime(last.seconds)} ${inWords(last)}`,
    volatility > 0 && `, up to ${rounded(volatility)} more while the price moves`,
    firstBuy && `, an agent's first buy ${rounded(firstBuy.fee)}`,
    `; after migration ${inWords(pool)}`,
    vesting.share > 0 && `; the agent can withdraw ${vesting.share} % of the liquidity in time`,
    fee > 0n &&
      `; of each launch ${formatSol(fee)} SOL: partner ${formatSol(creation.partner)} SOL`,
  ]
    .filter(Boolean)
    .join("");
  if (curve.partner + pool.partner === 0 && fee === 0n) return ok("fees", text);
  if (wallet === null) return ok("fees", `${text}; the partner is ${partner}`);
  if (partner === wallet.toBase58()) return ok("fees", `${text}; the partner is this wallet`);
  return warning("fees", `${text}; the partner is ${partner}, which is not the launch wallet`);
}

/** Returns for example `1 %: agent 0.8 %, partner 0 %, Meteora 0.2 %`. */
function inWords({ fee, agent, partner, protocol }: FeeSplit): string {
  return `${rounded(fee)}: agent ${rounded(agent)}, partner ${rounded(partner)}, Meteora ${rounded(protocol)}`;
}

/** Hides the rounding errors of doubles. */
const rounded = (percent: number) => `${Number(percent.toPrecision(6))} %`;
