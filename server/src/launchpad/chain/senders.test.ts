import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Keypair, PublicKey } from "@solana/web3.js";
import { systemClock } from "../../base/clock.ts";
import { createConnection, type RpcFetch } from "../../solana/connection.ts";
import { Senders, Tips } from "../../solana/senders.ts";
import { FaultyRpc, rpcError, rpcResult } from "../../solana/testing/faulty-rpc.ts";
import { keypairSigner, SignerRefusal } from "../../solana/wallet-signer.ts";
import { meteoraPartner } from "../meteora/collect.ts";
import { meteoraMigration } from "../meteora/launch.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, SOL, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { buy, traded, untraded } from "../meteora/testing/trades.ts";
import { launchpadOn, signBy, stepTwo } from "../signing/testing/steps.ts";
import { Collector } from "./collector.ts";
import { Journal, MemoryBook, unsent } from "./testing/journal.ts";
import { never, order, WIDE_LIMITS } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
const TIP = 10_000n;

describeMeteora("beside the RPC", () => {
  let cluster: TimedCluster;
  let meteora: TestLaunchpad;

  beforeAll(async () => {
    cluster = await openCluster();
    meteora = await openLaunchpad(cluster, { creatorShare: 80 });
  });

  /** The node, which takes every second transaction and forgets it. */
  function forgetful() {
    const sent: string[] = [];
    const rpc = FaultyRpc.of(cluster.chain);
    rpc.spoil(() => {
      cluster.clock.advance(400);
      const [transaction] = rpc.lastParams as string[];
      if (!sent.includes(transaction ?? "")) sent.push(transaction ?? "");
      const isForgotten = sent.indexOf(transaction ?? "") % 2 === 0;
      return isForgotten ? rpcResult("5".repeat(87)) : null;
    }, "sendTransaction");
    return { sent, connection: createConnection("http://localnet.invalid", { fetch: rpc.fetch }) };
  }

  /** What goes wrong with a sender, by its host's name; otherwise it is the chain's node. */
  const SENDERS: Readonly<Record<string, (rpc: FaultyRpc) => void>> = {
    good: () => {},
    dead: (rpc) => rpc.goDown(),
    silent: (rpc) => rpc.spoil(() => new Promise(() => {})),
    foreign: (rpc) => rpc.spoil(() => rpcResult(DEVNET), "getGenesisHash"),
    failing: (rpc) => rpc.spoil(() => rpcError(-32000, "no tip"), "sendTransaction"),
    unsaid: (rpc) => rpc.spoil(() => rpcError(-32601, "Method not found"), "getGenesisHash"),
  };

  function sendersOf(...urls: readonly string[]) {
    const nodes = new Map(
      Object.entries(SENDERS).map(([name, spoil]) => {
        const rpc = FaultyRpc.of(cluster.chain);
        spoil(rpc);
        return [name, rpc];
      }),
    );
    const fetch: RpcFetch = async (url, init) => {
      const rpc = nodes.get(new URL(url).hostname);
      if (!rpc) throw new Error(`there is no sender at ${url}`);
      return rpc.fetch(url, init);
    };
    const addresses = urls.map((url) => `http://${url}`);
    return {
      got: (name: string) => nodes.get(name)?.count("sendTransaction"),
      senders: new Senders(addresses, () => cluster.chain.genesisHash(), { fetch }),
    };
  }

  test("a sender lands what a node forgets that drops half: launches and claims", async () => {
    const { sent, connection } = forgetful();
    const { senders } = sendersOf("good");
    const launchpad = launchpadOn(meteora, { connection, senders });
    for (let launches = 0; launches < 4; launches++) {
      const token = await launchpad.deploy(order(), new Journal(), never);
      expect(cluster.chain.getAccount(token.poolAddress)).not.toBeNull();
    }
    const { agent, token } = await traded(meteora, cluster.wallet(50n * SOL));
    const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref]);
    if (!claim) throw new Error("there is something to claim");
    await stepTwo(launchpad, signBy(agent, claim));
    expect(sent).toHaveLength(5);
  });

  test("senders that are dead, silent, failing or of another cluster delay and decide nothing", async () => {
    const all = [
      "dead",
      "silent",
      "failing",
      "foreign",
      "unsaid",
      "unsaid#devnet",
      `unsaid#${cluster.chain.genesisHash()}`,
      "good",
    ];
    const { got, senders } = sendersOf(...all);
    const launchpad = launchpadOn(meteora, { senders });
    for (let launches = 0; launches < 2; launches++) {
      await launchpad.deploy(order(), new Journal(), never);
    }
    // No sender gets bytes before it proves its cluster; only the `unsaid` one is exempt.
    expect(got("foreign")).toBe(0);
    expect(got("dead")).toBe(0);
    expect(got("unsaid")).toBe(2);
    expect(got("failing")).toBe(2);
    expect(
      (await sendersOf(...all.slice(3)).senders.check()).map(({ problem }) => problem),
    ).toEqual([
      "is on another cluster: devnet",
      "does not say which cluster it is on",
      "is on another cluster: a cluster of its own (genesis devnet)",
      null,
      null,
    ]);
  });

  const balanceOf = (key: PublicKey) => cluster.chain.getBalance(key);
  const wallet = () => meteora.launchWallet.publicKey;
  const tipsFor = (...accounts: readonly Keypair[]) =>
    new Tips({ lamports: TIP, accounts: accounts.map((one) => one.publicKey.toBase58()) });

  test("launches and migrations tip each account in turn, within what the day books; agents' transactions never do", async () => {
    const [one, other] = [cluster.wallet(SOL), cluster.wallet(SOL)];
    const migrations = meteoraMigration(cluster.connection, wallet());
    const launchpad = launchpadOn(meteora, { tips: tipsFor(one, other) }, migrations);
    const sold = await untraded(meteora);
    const trade = { pool: sold.token.pool, trader: cluster.wallet(500n * SOL) };
    await buy(cluster.connection, trade, 400n * SOL);
    const book = new MemoryBook();
    const [launched, migrated] = [new Journal(book), new Journal(book)];
    const before = balanceOf(wallet());
    await launchpad.deploy(order(), launched, never);
    const migrating = { journal: migrated, maySign: true, signal: never };
    expect(await launchpad.keeper?.migrate(sold.token.ref, migrating)).toBe(true);
    expect([one, other].map((each) => balanceOf(each.publicKey))).toEqual([SOL + TIP, SOL + TIP]);
    expect(before - balanceOf(wallet())).toBe(book.spentToday());
    // The stored transaction includes the tip.
    for (const { latest } of [launched, migrated]) expect(latest?.tipLamports).toBe(TIP);

    const { agent, token } = await traded(meteora, cluster.wallet(50n * SOL));
    const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref]);
    if (!claim) throw new Error("there is something to claim");
    await stepTwo(launchpad, signBy(agent, claim));
    expect(balanceOf(one.publicKey) + balanceOf(other.publicKey)).toBe(2n * (SOL + TIP));

    const collector = new Collector({
      connection: cluster.connection,
      wallet: keypairSigner(meteora.launchWallet),
      program: meteoraPartner(cluster.connection, wallet()),
      clock: systemClock,
      feeCaps: WIDE_LIMITS,
      confirmer: { tickMs: 1 },
      ledger: { ...unsent, end: async () => {} },
      tips: tipsFor(one),
    });
    const held = balanceOf(wallet());
    const found = await collector.collect([token.ref], never);
    if (found.kind !== "ended" || found.end.status !== "confirmed") throw new Error(found.kind);
    expect(found.end.feeLamports).toBe(5_000n + TIP);
    expect(balanceOf(wallet()) - held).toBe(found.end.paidLamports - found.end.feeLamports);
  });

  test("a signer that refuses tips gets transactions without, and its refusal is no outage", async () => {
    const account = cluster.wallet(SOL);
    const inner = keypairSigner(meteora.launchWallet);
    let fault = new Error("The signer does not answer");
    let faults = 0;
    const signer = {
      ...inner,
      async sign(message: Uint8Array) {
        if (!Buffer.from(message).includes(account.publicKey.toBuffer())) {
          return inner.sign(message, "launch");
        }
        faults++;
        throw fault;
      },
    };
    const launchpad = launchpadOn(meteora, { wallet: signer, tips: tipsFor(account) });
    await expect(launchpad.deploy(order(), new Journal(), never)).rejects.toBe(fault);
    fault = new SignerRefusal("the launch signer refused: a tip");
    for (let launches = 0; launches < 2; launches++) {
      const journal = new Journal();
      await launchpad.deploy(order(), journal, never);
      expect(journal.latest?.tipLamports).toBeNull();
    }
    expect(faults).toBe(3);
    expect(balanceOf(account.publicKey)).toBe(SOL);
    expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null });
  });

  test("a tip that the chain refuses costs no agent its launch", async () => {
    // The account would hold less than the chain requires of one.
    const missing = PublicKey.unique();
    const terms = { lamports: TIP, accounts: [missing.toBase58()] };
    const launchpad = launchpadOn(meteora, { tips: new Tips(terms) });
    const token = await launchpad.deploy(order(), new Journal(), never);
    expect(cluster.chain.getAccount(token.poolAddress)).not.toBeNull();
    expect(balanceOf(missing)).toBe(0n);
  });
});
