import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Connection, Keypair, PublicKey } from "@solana/web3.js";
import { parseSol, solToLamports } from "@tokenctl/shared/sol";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { liquidityPoolAddress } from "../../server/src/launchpad/meteora/liquidity-reader.ts";
import { meteoraBinaries } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy, buyMigrated, migrate } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { rawRequest } from "../../server/src/solana/connection.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import { airdrop } from "../support/node.ts";
import { ROOT, run, type ServerProcess, startTokend, tempDir } from "../support/processes.ts";
import { startNamedNode, VALIDATOR, type ValidatorNode } from "./node.ts";

setDefaultTimeout(300_000);

/** DBC's option under which the config itself sets the pool's fee. */
const CUSTOMIZABLE = 6;
const CREATION_FEE_SOL = 0.02;
const isThere = VALIDATOR !== null && meteoraBinaries.length > 0;

/** On the node that `TEST_NODE` names, by default Agave with Tower's finality and slots of 400 ms. */
describe.skipIf(!isThere)(`on a real node (${process.env.TEST_NODE ?? "tower"})`, () => {
  const folder = tempDir();
  const trader = Keypair.generate();
  let node: ValidatorNode;
  let chain: Connection;
  let programs: { readonly tokend: string; readonly tokenctl: string };
  let env: Record<string, string>;
  let server: ServerProcess;
  let tickers = 0;

  beforeAll(async () => {
    [node, programs] = await Promise.all([startNamedNode(), installBinaries(folder.path)]);
    chain = node.connection;
    const fee = ["--creation-fee-sol", `${CREATION_FEE_SOL}`, "--creator-share", "80"];
    [{ env }] = await Promise.all([
      configureMeteora(programs.tokend, folder.path, node.url, ...fee),
      airdrop(chain, trader.publicKey, 1e12),
    ]);
    const port = await heldPort();
    env = { ...env, PUBLIC_URL: `http://127.0.0.1:${port}`, LAUNCH_PAYER: "either" };
    server = await startTokend([programs.tokend], folder.path, {
      ...env,
      PORT: `${port}`,
      MIGRATE_AFTER_SECONDS: "1",
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function agentWith(sol: number) {
    const keypair = Keypair.generate();
    if (sol > 0) await airdrop(chain, keypair.publicKey, sol * 1e9);
    const signer = keypairSigner(keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, rpcUrl: node.url, signer });
    return { client, keypair, wallet: keypair.publicKey.toBase58() };
  }

  async function accepted(client: TokenctlClient, more: object = {}): Promise<string> {
    const ticker = `REAL${tickers++}`;
    return (await client.launch({ name: ticker, ticker, ...more })).eventId;
  }

  async function launched(client: TokenctlClient, more: object = {}) {
    return ended(client, await accepted(client, more));
  }

  async function ended(client: TokenctlClient, eventId: string) {
    const launch = await client.waitForLaunch(eventId, { intervalMs: 100 });
    expect(launch.status).toBe("success");
    return {
      ...launch,
      mint: launch.tokenMint ?? "",
      pool: new PublicKey(launch.poolAddress ?? ""),
    };
  }

  /** Beside the server, with the address that an operator would have. */
  const tokend = (...args: string[]) =>
    run([programs.tokend, ...args], folder.path, { ...env, PUBLIC_URL: "https://tokens.example" });
  const trade = (pool: PublicKey, sol: string) => buy(chain, { pool, trader }, parseSol(sol));

  test.concurrent("a launch that its agent pays costs what it said, creation fee and first buy included", async () => {
    const { client, keypair } = await agentWith(2);
    const before = await chain.getBalance(keypair.publicKey);
    const { costSOL = 0 } = await launched(client, {
      payer: "agent",
      firstBuySOL: 0.5,
      firstBuyMinTokens: "1",
    });
    expect(costSOL).toBeGreaterThan(0.5 + CREATION_FEE_SOL);
    const paid = before - (await chain.getBalance(keypair.publicKey));
    expect(BigInt(paid)).toBe(solToLamports(costSOL));
  });

  test.concurrent("a claim pays receivers, and is verified and explained by its bytes", async () => {
    const { client } = await agentWith(1);
    const { mint, pool } = await launched(client);
    await trade(pool, "5");
    const to = [70, 30].map((share) => ({
      address: Keypair.generate().publicKey.toBase58(),
      share,
    }));
    const { transactionHash, claimedSOL, verified } = await client.claim(mint, { to });
    expect(verified).toBe(true);
    const balances = await Promise.all(
      to.map(({ address }) => chain.getBalance(new PublicKey(address))),
    );
    expect(balances.reduce((sum, each) => sum + each, 0)).toBe(Math.round(claimedSOL * 1e9));

    const config = { encoding: "base64", commitment: "confirmed" };
    const found = await rawRequest(chain, "getTransaction", [transactionHash, config]);
    const file = join(folder.path, "claim.txt");
    writeFileSync(file, (found as { transaction: [string] }).transaction[0]);
    const explained = await run([programs.tokenctl, "explain", file, "--json"], folder.path);
    expect(JSON.parse(explained.stdout)).toMatchObject({ unknown: 0 });
    const verify = [programs.tokenctl, "verify", mint, "--rpc-url", node.url];
    expect(await run(verify, folder.path)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.concurrent("a wallet without SOL claims by its sponsor", async () => {
    const { client, keypair } = await agentWith(0);
    const { mint, pool } = await launched(client);
    await trade(pool, "4");
    const { claimedSOL, verified } = await client.claim(mint);
    expect(verified).toBe(true);
    const holds = await chain.getBalance(keypair.publicKey);
    expect(holds).toBeGreaterThan(0);
    expect(holds).toBeLessThan(Math.round(claimedSOL * 1e9));
  });

  test.concurrent("a token whose pool a stranger migrated by a version 1 transaction is handed over", async () => {
    const [{ client }, receiver] = await Promise.all([agentWith(1), agentWith(1)]);
    const { mint, pool } = await launched(client);
    await trade(pool, "400");
    // The keeper may be first; then it is one like any other.
    await migrate(chain, pool, trader, 1).catch(() => {});
    const liquidity = liquidityPoolAddress(CUSTOMIZABLE, new PublicKey(mint));
    while ((await chain.getAccountInfo(liquidity)) === null) await Bun.sleep(100);
    await buyMigrated(chain, { pool: liquidity, trader }, parseSol("3"));
    await client.handOver(mint, { to: receiver.wallet });
    await receiver.client.acceptToken(mint);
    await buyMigrated(chain, { pool: liquidity, trader }, parseSol("2"));
    expect(await receiver.client.claim(mint)).toMatchObject({ verified: true });
  });

  test.concurrent("the keeper migrates a complete curve", async () => {
    const { client } = await agentWith(0);
    const { mint, pool } = await launched(client);
    await trade(pool, "399");
    for (;;) {
      const { claims } = await client.claims();
      if (claims.find(({ tokenMint }) => tokenMint === mint)?.isMigrated) break;
      await Bun.sleep(200);
    }
  });

  test.concurrent("the agent in Python launches, pays and claims", async () => {
    const python = Bun.which("python3") ?? "python3";
    const { keypair, wallet } = await agentWith(1);
    const seed = Buffer.from(keypair.secretKey.subarray(0, 32)).toString("hex");
    const step = async (code: string) => {
      const lines = `import agent; a = agent.Agent("${server.url}", bytes.fromhex("${seed}")); a.sign_in(); ${code}`;
      const { stderr, stdout } = await run(
        [python, "-B", "-c", lines],
        join(ROOT, "examples/python"),
      );
      expect(stderr).toBe("");
      return stdout.trim();
    };
    const mint = await step(`print(a.launch("Of Python", "REALPY", True)["tokenMint"])`);
    const { poolAddress, creator } = await new TokenctlClient({ apiUrl: server.url }).publicToken(
      mint,
    );
    expect(creator).toBe(wallet);
    await trade(new PublicKey(poolAddress), "2");
    expect(Number(await step(`print(a.claim("${mint}")["claimedSOL"])`))).toBeGreaterThan(0);
  });

  test("the operator collects his share and the creation fees, and the doctor finds nothing", async () => {
    const collected = await tokend("collect", "--json");
    const { lamports, tokens, problems } = JSON.parse(collected.stdout);
    expect([collected.exitCode, problems]).toEqual([0, 0]);
    // Of a creation fee Meteora keeps a tenth.
    const ofCreation = (BigInt(tokens) * (9n * solToLamports(CREATION_FEE_SOL))) / 10n;
    expect(tokens).toBeGreaterThan(4);
    expect(BigInt(lamports)).toBeGreaterThan(ofCreation);
    const doctor = await tokend("doctor");
    // A real node on a busy machine makes its blocks late, by which its time is behind.
    const failures = doctor.stdout.match(/^FAIL {2}(?!clock).*$/gm) ?? [];
    expect(failures).toEqual([]);
  });
});
