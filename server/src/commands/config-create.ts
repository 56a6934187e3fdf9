import { PublicKey } from "@solana/web3.js";
import { inTime } from "@tokenctl/shared/fee-words";
import { formatSol } from "@tokenctl/shared/sol";
import { systemClock } from "../base/clock.ts";
import { readClusterConfig, requireWallet, withKeypair } from "../config/config.ts";
import { readSettings } from "../config/read-settings.ts";
import { describePace } from "../domain/cluster-pace.ts";
import {
  ownChain,
  planOwn,
  signOwn,
  simulateOwn,
  storeAndSend,
} from "../launchpad/chain/transaction.ts";
import { missingProgram } from "../launchpad/meteora/check-config.ts";
import { type ConfigTerms, PRESETS, type Protection } from "../launchpad/meteora/config-terms.ts";
import {
  CONFIG_BYTES,
  createConfig,
  feesUnder,
  launchCost,
} from "../launchpad/meteora/create-config.ts";
import {
  type Earnings,
  earningsUnder,
  type FeeSplit,
  readEarnings,
} from "../launchpad/meteora/pool-terms.ts";
import { readClusterPace, rentExemption } from "../solana/cluster-pace.ts";
import { openWallet } from "../solana/open-wallet.ts";
import { openRpc } from "../solana/rpc-failover.ts";
import { feeOf } from "../solana/simulate.ts";
import { describeError } from "../solana/transaction-error.ts";
import { confirm, exactJson, table } from "./terminal.ts";

interface ConfigCreateOptions
  extends Omit<ConfigTerms, "creationLamports" | keyof Protection>,
    Partial<Protection> {
  /** Supplies the terms that are not given. */
  readonly preset: keyof typeof PRESETS;
  /** In lamports; the option is in SOL. */
  readonly creationFeeSol: bigint;
  readonly keypair?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export async function configCreate(options: ConfigCreateOptions): Promise<void> {
  const { json, keypair, dryRun, yes, preset, creationFeeSol, ...others } = options;
  const terms = { ...PRESETS[preset], ...others, creationLamports: creationFeeSol };
  const settings = withKeypair(process.env, keypair);
  const { rpcUrls, launchWallet, spending } = readClusterConfig(settings);
  const payer = await openWallet(requireWallet(launchWallet), systemClock);
  using rpc = openRpc(rpcUrls);
  const connection = rpc.connect();
  const { config, instructions, signers } = createConfig(payer.publicKey, terms);
  const chain = ownChain({ connection, wallet: payer, feeCaps: spending, clock: systemClock });
  const simulation = await simulateOwn(chain, instructions);
  const fee = await feeOf(connection, simulation);
  const pace = await readClusterPace(connection);
  const balance = BigInt(await connection.getBalance(payer.publicKey));
  const missing = simulation.error && (await missingProgram(connection));
  if (missing) throw new Error(missing);
  const least =
    fee + rentExemption(pace.rentPerByte, CONFIG_BYTES) + rentExemption(pace.rentPerByte, 0);
  if (balance < least) {
    throw new Error(
      `The launch wallet ${payer.publicKey} holds ${formatSol(balance)} SOL and needs about ${formatSol(least)} SOL for a config: send SOL to it.`,
    );
  }
  console.error(
    `${payer.publicKey} pays, is the config's partner, and holds ${formatSol(balance)} SOL.\n`,
  );
  console.error(explainTerms(terms));
  // A launch has as many signatures as this transaction.
  const cost = formatSol(launchCost(terms, { ...pace, fee }));
  console.error(`On this cluster now: ${describePace(pace)}; a launch costs about ${cost} SOL.\n`);
  if (simulation.error !== null) {
    const reason = describeError(simulation.error, simulation.instructions);
    throw new Error(`The chain refuses the transaction: ${reason}`);
  }
  const takes = formatSol(simulation.costLamports);
  if (dryRun) {
    return console.error(`It would take ${takes} SOL of ${payer.publicKey}. Nothing was sent.`);
  }
  if (process.stdin.isTTY && !yes) {
    await confirm(`Make this config for ${takes} SOL of ${payer.publicKey}?`, "No config was made");
  }
  const draft = { instructions, signers, simulation, untipped: null };
  const plan = await planOwn(chain, draft, false);
  const signed = await signOwn(chain, plan, "config");
  const { signature } = signed;
  // Printed before it is sent, so that a crash cannot lose the signature.
  console.error(`Sending transaction ${signature} for config ${config} …`);
  const given = { journal: { record: async () => null }, signal: new AbortController().signal };
  const { outcome } = await storeAndSend(chain, signed, given);
  if (outcome.kind === "expired") {
    throw new Error(`The transaction ${signature} expired; nothing was done. Try again.`);
  }
  if (outcome.kind === "failed") {
    throw new Error(`The transaction ${signature} failed: ${describeError(outcome.error)}`);
  }
  if (json) return console.log(JSON.stringify({ config: config.toBase58(), signature }));
  console.log(`Config       ${config}\nTransaction  ${signature}`);
  console.log(`\nStart the server with DBC_CONFIG=${config}`);
}

export async function configShow(address: string | undefined, json: boolean): Promise<void> {
  const env = address === undefined ? process.env : { ...process.env, DBC_CONFIG: address };
  const { RPC_URL, DBC_CONFIG } = readSettings(env, ["RPC_URL", "DBC_CONFIG"]);
  using rpc = openRpc(RPC_URL);
  const connection = rpc.connect();
  const config = new PublicKey(DBC_CONFIG);
  const { terms, ...earnings } = await readEarnings(connection, config);
  if (json) return console.log(exactJson({ ...terms, ...earnings }));
  const [first, last] = [terms.curve[0], terms.curve.at(-1)];
  const sol = (amount = 0) => `${Number(amount.toPrecision(6))} SOL`;
  console.log(
    table([
      ["Config", DBC_CONFIG],
      ["Partner", `${earnings.partner}, the only wallet that can take the partner's share`],
      ["First price", `${sol(first?.priceSOL)} for a token`],
      [
        "Leaves the curve",
        `with ${sol(last?.raisedSOL)} in it, at ${sol(last?.priceSOL)} for a token`,
      ],
    ]),
  );
  console.log(`\n${explainEarnings(earnings, "partner")}`);
}

/** Says what a config means for a buyer, an agent and the operator, mainly in the first hour. */
export function explainTerms(terms: ConfigTerms): string {
  const rest =
    terms.creatorShare === 100
      ? "With --creator-share below 100 this wallet gets the rest."
      : "`tokend collect` takes what this wallet earns.";
  const earnings = explainEarnings(earningsUnder(feesUnder(terms)), "this wallet");
  return `${earnings}\n${rest}\nA config cannot be changed.\n`;
}

export function explainEarnings(
  { curve, later, firstBuy, volatility, pool, creation, locked, vesting }: Earnings,
  partner: string,
): string {
  const sol = (share: number) => ({ right: `${Number(share.toPrecision(6))}` });
  const row = (name: string, { fee, agent, partner: rest, protocol }: FeeSplit) => {
    return [name, sol(fee), sol(agent), sol(rest), sol(protocol)];
  };
  const { share, seconds } = vesting;
  const days = Number((seconds / DAY_SECONDS).toPrecision(3));
  const free = 100 - locked - share;
  const withdrawn = [
    ...(share > 0
      ? [`the agent can withdraw ${share} % of it, part by part for ${days} days`]
      : []),
    ...(free > 0 ? [`the agent or ${partner} can withdraw ${free} %`] : []),
  ];
  const ofCreation = `${partner} earns ${formatSol(creation.partner)} SOL of it`;
  return [
    "Of each trade of 100 SOL, in SOL:",
    table([
      ["", ...["fee", "agent", partner, "Meteora"].map((right) => ({ right }))],
      ...(firstBuy ? [row("the agent's, in its launch", firstBuy)] : []),
      row(later.length === 0 ? "on the curve" : "in the first second", curve),
      ...later.map((one) => row(`after ${inTime(one.seconds)}`, one)),
      row("after migration", pool),
    ]),
    volatility > 0 &&
      `While the price moves, up to ${sol(volatility).right} more, shared alike; none of the agent's own in its launch.`,
    later.length > 0 &&
      "A buyer gets tokens for what the fee leaves: at the same price, one who waits gets more of them.",
    creation.fee > 0n &&
      `Each launch pays ${formatSol(creation.fee)} SOL for its pool; ${ofCreation}.`,
    locked === 100
      ? "After migration the liquidity stays locked permanently and earns these shares."
      : `After migration ${[`${locked} % of the liquidity stays locked permanently`, ...withdrawn].join("; ")}. What is there earns these shares.`,
  ]
    .filter((line) => line !== false)
    .join("\n");
}

const DAY_SECONDS = 86_400;
