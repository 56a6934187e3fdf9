import { randomUUID } from "node:crypto";
import { type Connection, PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import type { LimitsConfig, SolanaChainConfig } from "../../config/config.ts";
import { budgetShares, type DayBudget, type LaunchLimits } from "../../domain/intake-limits.ts";
import { readWithRent } from "../../launchpad/chain/launch-state.ts";
import type { PoolProgram } from "../../launchpad/pool-program.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import { feeOf, simulate } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { SIGNING_PURPOSES, type WalletSigner } from "../../solana/wallet-signer.ts";
import { type Finding, failure, messageOf, ok, warning } from "./finding.ts";

/** Asks a launch signer what it signs. The server needs some purposes, commands need the rest. */
export async function* checkSigner(
  signer: WalletSigner,
  { launches, sponsorsClaims }: LimitsConfig,
  { migrateAfterSeconds }: SolanaChainConfig,
): AsyncGenerator<Finding> {
  const isNeeded = {
    launch: launches.payers.includes("operator"),
    claim: sponsorsClaims,
    migrate: migrateAfterSeconds !== null,
    config: false,
    collect: false,
  };
  for (const purpose of SIGNING_PURPOSES) {
    const problem = await signer.refuses(purpose);
    const refused = isNeeded[purpose] ? failure : warning;
    if (problem === null) yield ok("signer", `signs for ${purpose}`);
    else yield refused("signer", `${problem}: what needs it does not work`);
  }
}

interface Payer {
  readonly connection: Connection;
  readonly wallet: PublicKey;
  readonly program: PoolProgram;
}

const FEW_LAUNCHES = 10n;

export async function* checkWallet(
  payer: Payer,
  { spending }: SolanaChainConfig,
  { launches: limits }: LimitsConfig,
): AsyncGenerator<Finding> {
  const { minWalletLamports: floor, maxDailySpendLamports: limit } = spending;
  const simulated = await simulateLaunch(payer).catch((error) => ({ problem: messageOf(error) }));
  if ("problem" in simulated) return yield failure("wallet", simulated.problem);
  const { balance, held, cost } = simulated;
  const launches = balance > floor ? (balance - floor) / cost : 0n;
  const above = `of ${formatSol(cost)} SOL above the ${formatSol(floor)} SOL of MIN_WALLET_SOL`;
  const budget = limit !== null && limit >= cost ? limit : null;
  const day = budget && ofDay({ maxDailyLamports: budget, launchLamports: cost }, limits);
  const target = floor + (budget ?? FEW_LAUNCHES * cost);
  const missing = formatSol(target > balance ? target - balance : 0n);
  const send = `send at least ${missing} SOL to it: that is ${day ?? `${FEW_LAUNCHES} launches`}`;
  const text = `${held}: pays for ${launches} launches ${above}`;
  if (launches === 0n) {
    yield failure("wallet", `${held}: too little for a launch ${above}; ${send}`);
  } else if (launches < FEW_LAUNCHES) yield warning("wallet", `${text}; ${send}`);
  else yield ok("wallet", day === null ? text : `${text}; MAX_DAILY_SPEND_SOL is ${day}`);
  if (limit !== null && limit < cost) {
    yield failure(
      "spending",
      `MAX_DAILY_SPEND_SOL is ${formatSol(limit)}, less than one launch costs (${formatSol(cost)} SOL), so nothing would be launched: raise it`,
    );
  }
}

/** Returns for example `84 launches a day, 8 of one network, 8 of one address`. */
function ofDay(budget: DayBudget, limits: LaunchLimits): string {
  const { address, network } = budgetShares(budget, limits);
  const ofAll = Number(budget.maxDailyLamports / budget.launchLamports);
  const [ofNetwork, ofAddress] = [network, address].map((share) => Math.min(share, ofAll));
  return `${ofAll} launches a day, ${ofNetwork} of one network, ${ofAddress} of one address`;
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
  if (error === null) return { balance, held, cost: simulation.costLamports };
  const fee = await feeOf(connection, simulation);
  const cost = rentBytes * rentPerByte + creationLamports + fee;
  // A program may report with any code of its own that the wallet has too little SOL.
  const isShort = balance < cost + rentExemption(rentPerByte, 0);
  if (isShort || classifyError(error, logs) === "payer") return { balance, held, cost };
  const reason = describeError(error, simulation.instructions);
  return { problem: `${held}, and a launch would fail: ${reason}` };
}
