import { randomUUID } from "node:crypto";
import { type Connection, PublicKey } from "@solana/web3.js";
import { inTime } from "@tokenctl/shared/fee-words";
import { formatSol } from "@tokenctl/shared/sol";
import type { Clock } from "../../base/clock.ts";
import type { Config, LimitsConfig, SolanaChainConfig } from "../../config/config.ts";
import { budgetShares, type DayBudget, type LaunchLimits } from "../../domain/intake-limits.ts";
import { readWithRent } from "../../launchpad/chain/launch-state.ts";
import { readDelegatedPositions } from "../../launchpad/meteora/delegated-positions.ts";
import { meteoraProgram } from "../../launchpad/meteora/meteora-program.ts";
import { type FeeSplit, readEarnings } from "../../launchpad/meteora/pool-terms.ts";
import type { PoolProgram } from "../../launchpad/pool-program.ts";
import { METEORA_PROGRAMS, programHash, readProgram } from "../../localnet/programs.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import { openWallet } from "../../solana/open-wallet.ts";
import { openRpc } from "../../solana/rpc-failover.ts";
import { Senders } from "../../solana/senders.ts";
import { feeOf, simulate } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import {
  SIGNING_PURPOSES,
  type SigningPurpose,
  type WalletSigner,
} from "../../solana/wallet-signer.ts";
import { attempt, type Finding, failure, messageOf, ok, warning } from "./finding.ts";
import { checkNode, checkNodes } from "./nodes.ts";
import { bindingOf } from "./storage.ts";

const FEW_LAUNCHES = 10n;

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
    if (signer && launchWallet?.kind !== "keypair") yield* checkSigner(signer, server, config);
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
  if (config.rpcUrls.length > 1) yield* checkNodes(config.rpcUrls, bound);
  using rpc = openRpc(config.rpcUrls, { genesisHash: bound });
  const connection = rpc.connect();
  yield* checkSending(connection, config, bound);
  const isOne = config.rpcUrls.length === 1;
  if (!(yield* checkNode({ connection, clock, bound, isOne }))) return;
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
    yield await attempt("programs", () => checkPrograms(connection));
    yield await attempt("fees", () => checkFees(connection, config, wallet));
    if (wallet === null) return;
    yield await attempt("positions", () => checkPositions(connection, wallet));
    if (server.limits.launches.payers.includes("operator")) {
      yield* await checkWallet({ connection, wallet, program }, config, server.limits);
    } else yield await attempt("wallet", () => checkSponsor(connection, wallet, config));
  }
}

/** Checks which cluster the senders are on, and that the accounts for tips exist on chain. */
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
  const text = `${formatSol(tip.lamports)} SOL for each transaction of the launch wallet`;
  yield await attempt("tip", async () => {
    const accounts = tip.accounts.map((account) => new PublicKey(account));
    const found = await connection.getMultipleAccountsInfo(accounts);
    const missing = tip.accounts.filter((_, index) => !found[index]);
    if (missing.length === 0) return ok("tip", text);
    return warning("tip", `${text}; ${missing.join(", ")} of TIP_ACCOUNTS is not on the chain`);
  });
}

/** Asks a launch signer what it signs. The server needs some purposes, commands need the rest. */
async function* checkSigner(
  signer: WalletSigner,
  { limits }: Config,
  { migrateAfterSeconds }: SolanaChainConfig,
): AsyncGenerator<Finding> {
  const needs: Record<SigningPurpose, string | null> = {
    launch: limits.launches.payers.includes("operator") ? "launches" : null,
    claim: limits.sponsorsClaims ? "claims of agents without SOL" : null,
    migrate: migrateAfterSeconds === null ? null : "MIGRATE_AFTER_SECONDS",
    config: null,
    collect: null,
  };
  for (const purpose of SIGNING_PURPOSES) {
    const problem = await signer.refuses(purpose);
    const need = needs[purpose];
    if (problem === null) yield ok("signer", `signs for ${purpose}`);
    else if (need !== null) yield failure("signer", `${problem}, but ${need} need that`);
    else yield warning("signer", `${problem}: ${WITHOUT[purpose]}`);
  }
}

const WITHOUT: Record<SigningPurpose, string> = {
  launch: "only what agents pay for is launched",
  claim: "agents without SOL cannot claim",
  migrate: "MIGRATE_AFTER_SECONDS cannot be used",
  config: "`tokend config create` does not work",
  collect: "`tokend collect` does not work, so revenue stays in the pools",
};

export async function checkPrograms(connection: Connection): Promise<Finding> {
  const others: string[] = [];
  // One after another: together they are several megabytes.
  for (const { name, programId, testedHash } of METEORA_PROGRAMS) {
    const code = await readProgram(connection, programId);
    if (code === null || programHash(code) !== testedHash) others.push(name);
  }
  if (others.length === 0) return ok("programs", "are those with which this version was tested");
  return warning(
    "programs",
    `${others.join(", ")}: not the release with which this version was tested. Launches and claims are ` +
      "still simulated before they are signed; look for a newer tokend, and try a launch and a claim.",
  );
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
  const falling = last ? `, after ${inTime(last.seconds)} ${inWords(last)}` : "";
  const moving = volatility > 0 ? `, up to ${rounded(volatility)} more while the price moves` : "";
  const first = firstBuy ? `, an agent's first buy ${rounded(firstBuy.fee)}` : "";
  const withdrawn =
    vesting.share === 0
      ? ""
      : `; the agent can withdraw ${vesting.share} % of the liquidity in time`;
  const ofLaunch =
    fee === 0n
      ? ""
      : `; of each launch ${formatSol(fee)} SOL: partner ${formatSol(creation.partner)} SOL`;
  const text = `of each trade ${inWords(curve)}${falling}${moving}${first}; after migration ${inWords(pool)}${withdrawn}${ofLaunch}`;
  if (curve.partner + pool.partner === 0 && fee === 0n) return ok("fees", text);
  if (wallet === null) return ok("fees", `${text}; the partner is ${partner}`);
  if (partner === wallet.toBase58()) return ok("fees", `${text}; the partner is this wallet`);
  return warning("fees", `${text}; the partner is ${partner}, which is not the launch wallet`);
}

async function checkPositions(connection: Connection, wallet: PublicKey): Promise<Finding> {
  const delegated = await readDelegatedPositions(connection, wallet);
  if (delegated.length === 0) return ok("positions", "none of this wallet's has a delegate");
  const texts = delegated.map(({ position, pool, delegate, permissions }) => {
    const more = permissions.length === 0 ? "" : `, with ${permissions.join(", ")}`;
    return `position ${position} in pool ${pool} has the delegate ${delegate}${more}`;
  });
  return warning(
    "positions",
    `${texts.join("; ")}. A delegate can move the position's NFT, which its fees follow: revoke it unless it is yours.`,
  );
}

/** Returns for example `1 %: agent 0.8 %, partner 0 %, Meteora 0.2 %`. */
function inWords({ fee, agent, partner, protocol }: FeeSplit): string {
  return `${rounded(fee)}: agent ${rounded(agent)}, partner ${rounded(partner)}, Meteora ${rounded(protocol)}`;
}

/** Hides the rounding errors of doubles. */
const rounded = (percent: number) => `${Number(percent.toPrecision(6))} %`;

interface Payer {
  readonly connection: Connection;
  readonly wallet: PublicKey;
  readonly program: PoolProgram;
}

async function checkWallet(
  payer: Payer,
  { spending }: SolanaChainConfig,
  { launches: limits }: LimitsConfig,
): Promise<Finding[]> {
  const { minWalletLamports: floor, maxDailySpendLamports: limit } = spending;
  const simulated = await simulateLaunch(payer).catch((error) => ({ problem: messageOf(error) }));
  if ("problem" in simulated) return [failure("wallet", simulated.problem)];
  const { balance, held, cost } = simulated;
  const spendable = balance - floor;
  const launches = spendable > 0n ? spendable / cost : 0n;
  const above = `of ${formatSol(cost)} SOL above the ${formatSol(floor)} SOL of MIN_WALLET_SOL`;
  const text = `${held}: pays for ${launches} launches ${above}`;
  const target = limit === null ? FEW_LAUNCHES * cost : limit;
  const missing = formatSol(target + floor > balance ? target + floor - balance : 0n);
  const day =
    limit === null ? "" : ofDay({ maxDailyLamports: limit, launchLamports: cost }, limits);
  const send = `send at least ${missing} SOL to it: that is ${day || `${FEW_LAUNCHES} launches`}`;
  const found =
    launches === 0n
      ? failure("wallet", `${held}: too little for a launch ${above}; ${send}`)
      : launches < FEW_LAUNCHES
        ? warning("wallet", `${text}; ${send}`)
        : ok("wallet", day === "" ? text : `${text}; MAX_DAILY_SPEND_SOL is ${day}`);
  if (limit === null || limit >= cost) return [found];
  return [
    found,
    failure(
      "spending",
      `MAX_DAILY_SPEND_SOL is ${formatSol(limit)}, less than one launch costs (${formatSol(cost)} SOL), so nothing would be launched: raise it`,
    ),
  ];
}

/** Returns for example `84 launches a day, 8 of one network, 8 of one address`. */
function ofDay(budget: DayBudget, limits: LaunchLimits): string {
  const { address, network } = budgetShares(budget, limits);
  const ofAll = Number(budget.maxDailyLamports / budget.launchLamports);
  const [ofNetwork, ofAddress] = [network, address].map((share) => Math.min(share, ofAll));
  return `${ofAll} launches a day, ${ofNetwork} of one network, ${ofAddress} of one address`;
}

async function checkSponsor(
  connection: Connection,
  wallet: PublicKey,
  { spending: { minWalletLamports } }: SolanaChainConfig,
): Promise<Finding> {
  const balance = BigInt(await connection.getBalance(wallet));
  const held = `${formatSol(balance)} SOL in ${wallet}, for sponsored claims and migrations`;
  if (balance >= minWalletLamports) return ok("wallet", held);
  return warning(
    "wallet",
    `${held}: less than MIN_WALLET_SOL, so it pays for none; send SOL to it`,
  );
}

async function simulateLaunch({ connection, wallet, program }: Payer) {
  const { accounts, rentPerByte } = await readWithRent({ connection }, [wallet]);
  const balance = BigInt(accounts[0]?.lamports ?? 0);
  const { instructions, rentBytes, creationLamports } = await program.launch({
    eventId: randomUUID(),
    wallet: PublicKey.unique().toBase58(),
    name: "A".repeat(32),
    ticker: "A".repeat(10),
  });
  const simulation = await simulate(connection, { payer: wallet, instructions });
  const held = `${formatSol(balance)} SOL in ${wallet}`;
  const { error, logs } = simulation;
  if (error !== null) {
    const fee = await feeOf(connection, simulation);
    const cost = rentBytes * rentPerByte + creationLamports + fee;
    // A program may report with any code of its own that the wallet has too little SOL.
    const isShort = balance < cost + rentExemption(rentPerByte, 0);
    if (isShort || classifyError(error, logs) === "payer") return { balance, held, cost };
    const reason = describeError(error, simulation.instructions);
    return { problem: `${held}, and a launch would fail: ${reason}` };
  }
  return { balance, held, cost: balance - simulation.payerLamports };
}
