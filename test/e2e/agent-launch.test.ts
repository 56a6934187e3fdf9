import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { Connection, Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { run, temporaryWallet } from "../../cli/src/testing/cli.ts";
import {
  InsufficientSolError,
  keypairSigner,
  LaunchCheckError,
  TokenctlClient,
} from "../../sdk/src/index.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { type RunningServer, startServer } from "../../server/src/server.ts";
import { Cluster } from "../chaos/cluster.ts";
import { tempFolder } from "../support/processes.ts";

setDefaultTimeout(300_000);

describeMeteora("an agent that pays for its launch, on the real programs", () => {
  const folder = tempFolder();
  let cluster: Cluster;
  let server: RunningServer;
  let chain: Connection;

  beforeAll(async () => {
    cluster = await Cluster.start(1);
    chain = new Connection(cluster.url, "confirmed");
    const { env } = await cluster.launchWallet();
    const { LAUNCH_KEYPAIR: _, MAX_DAILY_SPEND_SOL: _limit, ...unpaid } = env;
    const config = readConfig({
      ...unpaid,
      RPC_URL: cluster.url,
      PORT: "0",
      PUBLIC_URL: "http://127.0.0.1:0",
      DATA_DIR: join(folder.path, "data"),
      LAUNCH_PAYER: "agent",
    });
    server = await startServer(config, { clock: systemClock, log: createLog("silent") });
  });
  afterAll(async () => {
    await server?.stop();
    await cluster?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** An agent with this much SOL, and with a node that shows it what a config takes. */
  async function agentWith(sol: number) {
    const keypair = Keypair.generate();
    if (sol > 0) await chain.requestAirdrop(keypair.publicKey, sol * 1e9);
    const signer = keypairSigner(keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, signer, rpcUrl: cluster.url });
    return { keypair, client, balance: () => chain.getBalance(keypair.publicKey) };
  }

  test("launches for what it approved, and buys in the same transaction", async () => {
    const { client, balance } = await agentWith(2);
    let approved = 0;
    const request = { name: "Own money", ticker: "OWN", payer: "agent", firstBuySOL: 0.5 } as const;
    const { ok, payment } = await client.checkLaunch(request);
    expect([ok, payment?.canPay, payment?.balanceSOL]).toEqual([true, true, 2]);
    const { eventId } = await client.launch(request, {
      approve({ costSOL, creatorSharePercent }) {
        approved = costSOL.total;
        const { rent, creationFee } = costSOL;
        expect(payment?.costSOL).toMatchObject({ rent, creationFee, firstBuy: 0.5 });
        expect(payment?.costSOL.total).toBeGreaterThanOrEqual(approved);
        expect(costSOL.firstBuy).toBe(0.5);
        expect(creatorSharePercent).toBe(100);
      },
    });
    const launch = await client.waitForLaunch(eventId);
    expect(launch).toMatchObject({ status: "success", payer: "agent", costSOL: approved });
    expect(2e9 - (await balance())).toBe(Math.round(approved * 1e9));
  });

  test("is told by tokenctl what it pays, and what share of the fees it gets", async () => {
    const { keypair } = await agentWith(1);
    using wallet = temporaryWallet(keypair.secretKey);
    const named = ["--name", "Typed", "--ticker", "TYPED", "--pay", "--rpc-url", cluster.url];
    const to = ["--api-url", server.url, "-k", wallet.keypair];
    const { exitCode, stderr } = await run(["launch", ...named, ...to]);
    expect(stderr).toMatch(/It costs at most 0\.0\d+ SOL: .*\n.*gets 100 % of the trading fees/);
    expect(exitCode).toBe(0);
  });

  test("signs nothing while nothing shows what the config takes", async () => {
    const { keypair } = await agentWith(1);
    const signer = keypairSigner(keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, signer });
    await expect(client.launch({ name: "Blind", ticker: "BLIND", payer: "agent" })).rejects.toThrow(
      "set rpcUrl or expectedConfig",
    );
  });

  test("signs nothing that costs more than it allows, under another config, or that it does not approve", async () => {
    const { client, balance } = await agentWith(1);
    const refused = (ticker: string, options: object) =>
      client.launch({ name: "Dear", ticker, payer: "agent" }, options);
    await expect(refused("DEAR", { maxCostSOL: 0.000_01 })).rejects.toBeInstanceOf(
      LaunchCheckError,
    );
    const other = Keypair.generate().publicKey.toBase58();
    await expect(refused("OTHER", { expectedConfig: other })).rejects.toBeInstanceOf(
      LaunchCheckError,
    );
    const no = new Error("no");
    const approve = () => Promise.reject(no);
    await expect(refused("NEVER", { approve })).rejects.toBe(no);
    expect(await balance()).toBe(1e9);
  });

  test("is told what it lacks, and signs the same launch once it has that", async () => {
    const { client, keypair } = await agentWith(0);
    const request = { name: "Poor", ticker: "POOR", payer: "agent" } as const;
    const failure = await client.launch(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InsufficientSolError);
    const { requiredSOL } = failure as InsufficientSolError;
    const found = await client.checkLaunch({ ...request, ticker: "ASKED" });
    expect(found).toMatchObject({
      ok: false,
      refusals: [],
      payment: { requiredSOL, canPay: false },
    });
    await chain.requestAirdrop(keypair.publicKey, Math.round((requiredSOL ?? 0) * 1e9));
    const [{ eventId } = { eventId: "" }] = (await client.launches({ status: "pending" })).launches;
    await client.signLaunch(eventId, request);
    expect(await client.waitForLaunch(eventId)).toMatchObject({ status: "success" });
  });

  test("buys with what it is told, and beside wrapped SOL that its agent holds", async () => {
    const { client, keypair } = await agentWith(0);
    const request = { name: "Buys", ticker: "BUYS", payer: "agent", firstBuySOL: 0.5 } as const;
    const failure = await client.launch(request).catch((error: unknown) => error);
    const { requiredSOL } = failure as InsufficientSolError;
    await chain.requestAirdrop(keypair.publicKey, Math.round((requiredSOL ?? 0) * 1e9));
    const [{ eventId } = { eventId: "" }] = (await client.launches({ status: "pending" })).launches;
    await client.signLaunch(eventId, request);
    expect(await client.waitForLaunch(eventId)).toMatchObject({ status: "success" });

    const holder = await agentWith(3);
    const { publicKey } = holder.keypair;
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);
    const { blockhash } = await chain.getLatestBlockhash();
    const wrap = new Transaction({ feePayer: publicKey, blockhash, lastValidBlockHeight: 0 }).add(
      createAssociatedTokenAccountInstruction(publicKey, wrapped, publicKey, NATIVE_MINT),
      SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: wrapped, lamports: 1e9 }),
      createSyncNativeInstruction(wrapped),
    );
    wrap.sign(holder.keypair);
    await chain.sendRawTransaction(wrap.serialize());
    const launched = await holder.client.launch({ ...request, ticker: "WRAP" });
    const ended = await holder.client.waitForLaunch(launched.eventId);
    expect(ended).toMatchObject({ status: "success" });
  });
});
