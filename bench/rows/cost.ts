import { randomUUID } from "node:crypto";
import { Keypair, SystemProgram, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { systemClock } from "../../server/src/base/clock.ts";
import {
  chainLaunchpad,
  type Launchpad,
} from "../../server/src/launchpad/chain/chain-launchpad.ts";
import { chainContext } from "../../server/src/launchpad/chain/context.ts";
import { Journal, unsent } from "../../server/src/launchpad/chain/testing/journal.ts";
import type { TokenStandard } from "../../server/src/launchpad/meteora/config-terms.ts";
import { openCluster } from "../../server/src/launchpad/meteora/testing/cluster.ts";
import { directSdk } from "../../server/src/launchpad/meteora/testing/direct-sdk.ts";
import {
  openLaunchpad,
  openMarket,
  SOL,
  type TestLaunchpad,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  type OwnedToken,
  traded,
  tradedAfterMigration,
} from "../../server/src/launchpad/meteora/testing/trades.ts";
import { type Signing, signing } from "../../server/src/launchpad/signing/signing.ts";
import { keypairSigner } from "../../server/src/solana/wallet-signer.ts";
import { whyNoCluster } from "../harness/cluster.ts";
import { atMost } from "../harness/figures.ts";
import type { Goal, Row, RowResult } from "../harness/row.ts";

/** What the network takes for one signature. */
const SIGNATURE_FEE = 5_000n;

/**
 * What launches and claims cost, beside Meteora's SDK used directly. Every figure is exact, and the
 * same in each run but for the length of a mint's address, so there is one round.
 */
export const cost: Row = {
  id: "cost",
  work: "cost of launches and claims on the real programs",
  run,
};

/** The cost of one piece of work. */
interface Cost {
  readonly name: string;
  /** Lamports that the paying wallet lost, beside what the claim paid it. */
  readonly lamports: bigint;
  readonly bytes: readonly number[];
  readonly calls: number;
}

async function run(): Promise<RowResult | string> {
  const why = await whyNoCluster();
  if (why !== null) return why;
  const spl = await measure("spl");
  const token2022 = await measure("token-2022");
  const { ours, direct } = token2022;
  const goals: Goal[] = [
    atMost(
      Number(ours.launch.lamports) / Number(spl.direct.launch.lamports),
      0.5,
      "the lamports of a launch by Meteora's SDK with an SPL token",
    ),
    ...[spl, token2022].map(({ name, ours: { claim, both } }) => ({
      goal: `a claim of ${name} tokens costs ${SIGNATURE_FEE} lamports`,
      reached: `${claim.lamports}, ${both.lamports} for both kinds of fees`,
      isReached: claim.lamports === SIGNATURE_FEE && both.lamports === SIGNATURE_FEE,
    })),
    {
      goal: "a sponsored claim costs its sponsor nothing",
      reached: `${spl.sponsorLost + token2022.sponsorLost} lamports`,
      isReached: spl.sponsorLost + token2022.sponsorLost === 0n,
    },
    ...[spl, token2022].map(({ name, ours: { launch, paid } }) => ({
      goal: `a launch of ${name} that its agent pays for takes at most one RPC call more`,
      reached: `${paid.calls} calls, ${launch.calls} if the operator pays`,
      isReached: paid.calls <= launch.calls + 1,
    })),
    atMost(
      ours.both.calls / direct.both.calls,
      1,
      "the RPC calls of claiming both kinds by the SDK",
    ),
  ];
  return {
    goals,
    figures: {
      columns: ["", "lamports", "bytes", "RPC calls"],
      lines: [spl, token2022].flatMap(({ name, lines }) =>
        lines.map((line) => [
          `${name}: ${line.name}`,
          line.lamports.toLocaleString("en"),
          line.bytes.join(" + "),
          String(line.calls),
        ]),
      ),
    },
    notes: [
      "Lamports are what the paying wallet lost beside the fees that a claim paid it. A launch of the",
      "service makes the agent the pool's creator; one by the SDK is paid and signed by the agent. Calls",
      "include those that send and confirm. A claim by the SDK leaves the agent's account for the token",
      "behind, and takes both kinds of fees in two transactions.",
    ],
  };
}

async function measure(tokenStandard: TokenStandard) {
  const market = await openMarket({ tokenStandard });
  const scene = {
    ...market,
    sdk: directSdk({ ...market.launchpad, connection: market.launchpad.cluster.connection }),
    service: service(market.launchpad),
  };
  const ours = {
    launch: await ourLaunch(tokenStandard),
    paid: await paidLaunch(tokenStandard),
    claim: await ourClaim(
      scene,
      "tokend, first claim",
      await traded(market.launchpad, market.trader),
    ),
    both: await ourClaim(
      scene,
      "tokend, first claim of both kinds",
      await tradedAfterMigration(market.launchpad, market.trader),
    ),
  };
  const direct = {
    launch: await directLaunch(tokenStandard),
    claim: await directClaim(
      scene,
      "SDK, first claim",
      await traded(market.launchpad, market.trader),
    ),
    both: await directClaim(
      scene,
      "SDK, first claim of both kinds",
      await tradedAfterMigration(market.launchpad, market.trader),
      true,
    ),
  };
  const poor = await traded(market.launchpad, market.trader);
  const { launchWallet, cluster } = market.launchpad;
  cluster.chain.setAccount(poor.agent.publicKey, {
    lamports: 0n,
    owner: SystemProgram.programId,
  });
  const before = cluster.chain.getBalance(launchWallet.publicKey);
  const sponsored = await ourClaim(scene, "tokend, sponsored claim", poor);
  const sponsorLost = before - cluster.chain.getBalance(launchWallet.publicKey);
  return {
    name: tokenStandard,
    ours,
    direct,
    sponsorLost,
    lines: [
      ours.launch,
      ours.paid,
      direct.launch,
      ours.claim,
      direct.claim,
      ours.both,
      direct.both,
      sponsored,
    ],
  };
}

function service({ cluster, program, launchWallet }: TestLaunchpad): Launchpad & Signing {
  const context = chainContext({
    connection: cluster.connection,
    wallet: keypairSigner(launchWallet),
    program,
    clock: systemClock,
    limits: { minWalletLamports: 0n, maxDailySpendLamports: null },
    feeCaps: { maxPriorityMicroLamports: 0n, maxTransactionFeeLamports: 1_000_000n },
    confirmer: { tickMs: 1 },
  });
  return { ...chainLaunchpad(context), ...signing(context) };
}

interface Scene {
  readonly launchpad: TestLaunchpad;
  readonly sdk: ReturnType<typeof directSdk>;
  readonly service: Launchpad & Signing;
}

const never = new AbortController().signal;
const callsOf = (launchpad: TestLaunchpad) =>
  [...launchpad.cluster.calls.values()].reduce((sum, count) => sum + count, 0);
const bytesOf = ({ cluster }: TestLaunchpad, signature: string) =>
  cluster.chain.getTransaction(signature)?.bytes.length ?? 0;

async function ourLaunch(tokenStandard: TokenStandard): Promise<Cost> {
  const launchpad = await openLaunchpad(await openCluster(), { tokenStandard });
  const { chain, calls } = launchpad.cluster;
  const tokend = service(launchpad);
  const launchOne = async () => {
    const journal = new Journal();
    const wallet = Keypair.generate().publicKey.toBase58();
    const order = { eventId: randomUUID(), wallet, name: "Agent Coin", ticker: "AGENT" };
    await tokend.deploy(order, journal, never);
    return journal;
  };
  // The first launch reads the config besides.
  await launchOne();
  const before = chain.getBalance(launchpad.launchWallet.publicKey);
  calls.clear();
  const { latest } = await launchOne();
  return {
    name: "tokend, launch",
    lamports: before - chain.getBalance(launchpad.launchWallet.publicKey),
    bytes: [latest?.transaction.length ?? 0],
    calls: callsOf(launchpad),
  };
}

/** A launch that its agent pays for, from its transaction until it is confirmed. */
async function paidLaunch(tokenStandard: TokenStandard): Promise<Cost> {
  const launchpad = await openLaunchpad(await openCluster(), { tokenStandard });
  const { chain, calls, wallet } = launchpad.cluster;
  const tokend = service(launchpad);
  const launchOne = async () => {
    const agent = wallet(SOL);
    calls.clear();
    const order = {
      eventId: randomUUID(),
      wallet: agent.publicKey.toBase58(),
      payer: "agent" as const,
      name: "Agent Coin",
      ticker: "AGENT",
    };
    const { transaction, lastValidBlockHeight, token } = await tokend.buildLaunch(order);
    const byAgent = VersionedTransaction.deserialize(transaction);
    byAgent.sign([agent]);
    const handedOut = {
      ...({ kind: "launch", agent: order.wallet, tokens: [token], order } as const),
      ...{ transaction: byAgent.serialize(), lastValidBlockHeight },
    };
    await tokend.check(handedOut, bs58.encode(byAgent.signatures[0] ?? new Uint8Array()));
    const bytes = await tokend.cosign(handedOut);
    await tokend.submit({ ...handedOut, ...bytes }, unsent, never);
    return { agent, bytes };
  };
  await launchOne();
  const { agent, bytes } = await launchOne();
  return {
    name: "tokend, launch that its agent pays for",
    lamports: SOL - chain.getBalance(agent.publicKey),
    bytes: [bytes.transaction.length],
    calls: callsOf(launchpad),
  };
}

async function directLaunch(tokenStandard: TokenStandard): Promise<Cost> {
  const launchpad = await openLaunchpad(await openCluster(), { tokenStandard });
  const { chain, calls, wallet } = launchpad.cluster;
  const agent = wallet(SOL);
  calls.clear();
  const uri = `https://tokens.example/metadata/${"1".repeat(44)}.json`;
  const signature = await directSdk({
    ...launchpad,
    connection: launchpad.cluster.connection,
  }).launch(agent, uri);
  return {
    name: "SDK, launch",
    lamports: SOL - chain.getBalance(agent.publicKey),
    bytes: [bytesOf(launchpad, signature)],
    calls: callsOf(launchpad),
  };
}

async function ourClaim(
  { launchpad, service: tokend }: Scene,
  name: string,
  { token, agent }: OwnedToken,
): Promise<Cost> {
  const { chain, calls } = launchpad.cluster;
  const wallet = agent.publicKey.toBase58();
  const before = chain.getBalance(wallet);
  calls.clear();
  const claim = await tokend.buildClaim(wallet, [token.ref], { maySponsor: async () => true });
  if (!claim) throw new Error("there is something to claim");
  const byAgent = VersionedTransaction.deserialize(claim.transaction);
  byAgent.sign([agent]);
  const { lastValidBlockHeight } = claim;
  const transaction = byAgent.serialize();
  const handedOut = {
    ...({ kind: "claim", agent: wallet, tokens: [token.ref] } as const),
    ...{ transaction, lastValidBlockHeight },
  };
  const isSponsored = claim.repaidLamports !== null;
  const signature = bs58.encode(byAgent.signatures[0] ?? new Uint8Array());
  await tokend.check(handedOut, isSponsored ? null : signature);
  const signed = isSponsored ? await tokend.cosign(handedOut) : { transaction, signature };
  const { paidLamports } = await tokend.submit({ ...handedOut, ...signed }, unsent, never);
  return {
    name,
    lamports: before + paidLamports - chain.getBalance(wallet),
    bytes: [signed.transaction.length],
    calls: callsOf(launchpad),
  };
}

async function directClaim(
  { launchpad, sdk, service: tokend }: Scene,
  name: string,
  { token, agent }: OwnedToken,
  ofPosition = false,
): Promise<Cost> {
  const { chain, calls } = launchpad.cluster;
  const wallet = agent.publicKey.toBase58();
  const claimable = async () => {
    const [fees] = await tokend.readFees(wallet, [token.ref]);
    if (!fees || "unreadable" in fees) throw new Error("the fees cannot be read");
    return fees.bondingCurve.claimable + fees.liquidityPool.claimable;
  };
  const paid = await claimable();
  const before = chain.getBalance(wallet);
  calls.clear();
  const signatures = [await sdk.claimCurve(agent, token.pool)];
  if (ofPosition) signatures.push(await sdk.claimPosition(agent, token));
  const counted = callsOf(launchpad);
  if ((await claimable()) !== 0n) throw new Error("the SDK left fees behind");
  return {
    name,
    lamports: before + paid - chain.getBalance(wallet),
    bytes: signatures.map((signature) => bytesOf(launchpad, signature)),
    calls: counted,
  };
}
