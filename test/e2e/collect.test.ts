import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keypair } from "@solana/web3.js";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { systemClock } from "../../server/src/base/clock.ts";
import { fingerprintOf } from "../../server/src/data/secrets.ts";
import { COLLECT_CRASH_POINTS } from "../../server/src/launchpad/crash-point.ts";
import { meteoraPartner } from "../../server/src/launchpad/meteora/meteora-partner.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import {
  launch,
  openMarket,
  SOL,
  type TestLaunchpad,
  type TestToken,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { storeTokens } from "../../server/src/launchpad/meteora/testing/stored-tokens.ts";
import { claimableOf, type PartnerProgram } from "../../server/src/launchpad/partner-program.ts";
import { type ServedLocalnet, serveLocalnet } from "../../server/src/localnet/serve-rpc.ts";
import { openSqliteStore } from "../../server/src/store/sqlite/store.ts";
import { send } from "../support/agent.ts";
import { run, type ServerProcess, startTokend, TOKEND, tempFolder } from "../support/processes.ts";

setDefaultTimeout(300_000);

const TRADE = 5n * SOL;
const SECRET = Buffer.alloc(32, 7);

describeMeteora("what the operator earns, beside a running server", () => {
  const folder = tempFolder();
  let launchpad: TestLaunchpad;
  let trader: Keypair;
  let tokens: TestToken[];
  let node: ServedLocalnet;
  let env: Record<string, string>;
  let store: ReturnType<typeof openSqliteStore>;
  let partner: PartnerProgram;
  /** Its curve is complete when the server starts. */
  let complete: TestToken;
  let server: ServerProcess;

  beforeAll(async () => {
    ({ launchpad, trader } = await openMarket({ creatorShare: 80, creationLamports: 20_000_009n }));
    const { cluster, launchWallet, config } = launchpad;
    partner = meteoraPartner(cluster.connection, launchWallet.publicKey);
    const launchOf = (ticker: string) =>
      launch(launchpad, cluster.wallet(SOL).publicKey, { ticker });
    complete = await launchOf("ONE");
    await buy(cluster.connection, { pool: complete.pool, trader }, 400n * SOL);
    tokens = [await launchOf("TWO"), await launchOf("THREE")];
    node = serveLocalnet(cluster.chain, { port: 0 });
    const keypair = join(folder.path, "wallet.json");
    writeFileSync(keypair, JSON.stringify([...launchWallet.secretKey]), { mode: 0o600 });
    env = { CHAIN: "solana", RPC_URL: node.url, LAUNCH_KEYPAIR: keypair };
    const dataDir = join(folder.path, "data");
    mkdirSync(dataDir);
    store = openSqliteStore(join(dataDir, "tokend.sqlite"), { clock: systemClock });
    await store.chainBinding.bind({
      chain: "solana",
      launchWallet: launchWallet.publicKey.toBase58(),
      genesisHash: null,
      mintSecretFingerprint: fingerprintOf(SECRET),
      dbcConfig: config.toBase58(),
    });
    await store.chainBinding.bindGenesis(cluster.chain.genesisHash());
    await storeTokens(store, [complete, ...tokens]);
    server = await startTokend(TOKEND, folder.path, {
      ...env,
      DBC_CONFIG: config.toBase58(),
      PUBLIC_URL: "https://tokens.example",
      MINT_SECRET: SECRET.toString("hex"),
      MAX_DAILY_SPEND_SOL: "1",
      MIGRATE_AFTER_SECONDS: "1",
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await store.close();
    await node.stop();
    folder[Symbol.dispose]();
  });

  const tokend = (args: readonly string[], more = {}) =>
    run([...TOKEND, ...args], folder.path, { ...env, ...more });
  const balance = () => launchpad.cluster.chain.getBalance(launchpad.launchWallet.publicKey);
  async function claimable(): Promise<bigint> {
    const revenues = await partner.readRevenue([...tokens, complete].map(({ ref }) => ref));
    return revenues.reduce((sum, revenue) => {
      if ("unreadable" in revenue) throw new Error(revenue.unreadable);
      return sum + claimableOf(revenue);
    }, 0n);
  }

  test("a server migrates a curve that was not migrated in time", async () => {
    const line = `"tokenMint":"${complete.ref.tokenMint}"`;
    while (!server.output().includes('"msg":"pool has migrated"')) await Bun.sleep(50);
    expect(
      server
        .output()
        .split("\n")
        .filter((text) => text.includes(line)),
    ).toHaveLength(1);
    const [revenue] = await partner.readRevenue([complete.ref]);
    expect(revenue).toMatchObject({ isMigrated: true });
    expect(await store.launches.spentToday()).toBe(32_518_200n);
  });

  test("collect, killed at every step, takes all once and forgets nothing", async () => {
    const { connection } = launchpad.cluster;
    const before = balance();
    let earned = 0n;
    let last = 0n;
    // The migrated token's is there from the beginning.
    for (const point of COLLECT_CRASH_POINTS) {
      for (const { pool } of tokens) await buy(connection, { pool, trader }, TRADE);
      earned += (await claimable()) - last;
      const { exitCode, stderr } = await tokend(["collect"], { TOKEND_CRASH_AT: point });
      expect({ point, exitCode, stderr }).toMatchObject({ exitCode: 137 });
      last = await claimable();
    }
    // Where agents pay, the server has no wallet, and the one that earns is named for the command.
    const agentsPay = { LAUNCH_KEYPAIR: "", LAUNCH_PAYER: "agent" };
    const unnamed = await tokend(["collect"], agentsPay);
    expect(unnamed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--keypair") });
    const keypair = join(folder.path, "wallet.json");
    const done = await tokend(["collect", "--json", "--keypair", keypair], agentsPay);
    expect(done.exitCode).toBe(0);
    expect(await claimable()).toBe(0n);
    const ledger = await store.collections.all();
    expect(ledger.every(({ status }) => status === "confirmed")).toBe(true);
    const sum = (values: readonly (bigint | null)[]) =>
      values.reduce<bigint>((all, value) => all + (value ?? 0n), 0n);
    const paid = sum(ledger.map(({ paidLamports }) => paidLamports));
    expect(paid).toBe(earned);
    expect(balance() - before).toBe(paid - sum(ledger.map(({ feeLamports }) => feeLamports)));

    const revenue = await tokend(["revenue", "--json"], agentsPay);
    expect(JSON.parse(revenue.stdout)).toMatchObject({
      wallet: launchpad.launchWallet.publicKey.toBase58(),
      total: { claimable: "0", claimed: `${earned}`, total: `${earned}` },
      tokens: [{ ticker: "ONE" }, { ticker: "TWO" }, { ticker: "THREE" }],
    });

    // The running server shows it in the operator's view.
    await buy(connection, { pool: tokens[0]?.pool ?? complete.pool, trader }, TRADE);
    const { link } = JSON.parse((await tokend(["admin", "console-link", "--json"])).stdout);
    const json = { secret: new URL(link).hash.replace("#/operator/", "") };
    const { body } = await send(server.url, "POST", "/operator/session", { json });
    const { token } = body as { token: string };
    expect((await send(server.url, "GET", "/operator/status", { token })).body).toMatchObject({
      money: {
        collectedSOL: lamportsToSol(paid),
        toCollectSOL: lamportsToSol(await claimable()),
        migrationsSOL: 0.032_518_2,
      },
    });
  });
});
