import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DynamicBondingCurveClient,
  deriveMintMetadata,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Connection, Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { payoutOf } from "@tokenctl/shared/payout";
import { parseSol } from "@tokenctl/shared/sol";
import type {
  AgentEvent,
  ClaimHistory,
  ClaimRecord,
  LaunchCheck,
  LaunchStatus,
  Token,
} from "@tokenctl/shared/types";
import { type ClaimResult, keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { TOKEN_STANDARDS } from "../../server/src/launchpad/meteora/config-terms.ts";
import { liquidityPoolAddress } from "../../server/src/launchpad/meteora/liquidity-reader.ts";
import { buy, migrate, sell } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import {
  buyMigrated,
  sellMigrated,
} from "../../server/src/launchpad/meteora/testing/liquidity-trades.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { readKeypairFile } from "../../server/src/solana/keypair-file.ts";
import { airdrop } from "../support/airdrop.ts";
import { installBinaries } from "../support/binaries.ts";
import { GIF } from "../support/images.ts";
import {
  type ChainProcess,
  run,
  type ServerProcess,
  startLocalnet,
  startTokend,
  tempFolder,
} from "../support/processes.ts";

setDefaultTimeout(300_000);

/** DBC's option under which the config itself sets the pool's fee. */
const CUSTOMIZABLE = 6;
const SIGNATURE_FEE = 5_000n;

describeMeteora("a token's whole life on the real programs", () => {
  const binaries = tempFolder();
  let localnet: ChainProcess;
  let chain: Connection;
  let programs: { tokend: string; tokenctl: string };

  beforeAll(async () => {
    programs = await installBinaries(binaries.path);
    localnet = await startLocalnet(programs.tokend, binaries.path, programsFolder(process.env));
    chain = new Connection(localnet.url, "confirmed");
  });

  afterAll(async () => {
    await localnet?.[Symbol.asyncDispose]();
    binaries[Symbol.dispose]();
  });

  describe.each(TOKEN_STANDARDS)("with %s tokens", (tokenStandard) => {
    const tokenProgram = tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    const folder = tempFolder();
    const keypairs = {
      launch: join(folder.path, "launch.json"),
      agent: join(folder.path, "agent.json"),
    };
    let server: ServerProcess;
    let agent: Keypair;
    let token: LaunchStatus;
    let pool: PublicKey;
    let mint: PublicKey;
    /** Lamports that claims paid, by their receipts. */
    let paidInAll = 0n;
    /** What the agent was told before its launch. */
    let found: LaunchCheck;
    const traders = [Keypair.generate(), Keypair.generate()] as const;

    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    async function tokenctl<T>(keypair: string, ...args: string[]): Promise<T> {
      const { exitCode, stdout, stderr } = await run(
        [programs.tokenctl, ...args, "--json"],
        folder.path,
        {
          TOKENCTL_KEYPAIR: keypair,
          TOKENCTL_RPC_URL: localnet.url,
          ...(server && { TOKENCTL_API_URL: server.url }),
        },
      );
      expect(stderr).toBe("");
      expect(exitCode).toBe(0);
      return JSON.parse(stdout) as T;
    }

    async function keygen(file: string, sol: number): Promise<Keypair> {
      await tokenctl(file, "keygen");
      const keypair = readKeypairFile(file);
      await fund(keypair.publicKey, sol);
      return keypair;
    }

    async function fund(wallet: PublicKey, sol: number): Promise<void> {
      await airdrop(chain, wallet, sol * 1e9);
      expect(await chain.getBalance(wallet)).toBe(sol * 1e9);
    }

    async function fees(): Promise<ClaimRecord> {
      const [record] = (await tokenctl<{ claims: ClaimRecord[] }>(keypairs.agent, "fees")).claims;
      if (!record) throw new Error("no claim record");
      return record;
    }

    const nextEvent = (...flags: string[]) =>
      tokenctl<AgentEvent>(keypairs.agent, "watch", "--count", "1", ...flags);

    /** The curve's fees as Meteora's own SDK reads them, in SOL. */
    async function sdkFees() {
      const { creator } =
        await DynamicBondingCurveClient.create(chain).state.getPoolFeeBreakdown(pool);
      return {
        dbcClaimableFees: Number(creator.unclaimedQuoteFee.toString()) / 1e9,
        dbcClaimedFees: Number(creator.claimedQuoteFee.toString()) / 1e9,
        dbcTotalFees: Number(creator.totalQuoteFee.toString()) / 1e9,
      };
    }

    const lamports = (sol: number) => parseSol(sol.toFixed(9));

    const tokenAccountOf = (owner: PublicKey) =>
      getAssociatedTokenAddressSync(mint, owner, false, tokenProgram);

    /** Claims, and checks to the lamport: paid = gained + network fee, and no account is left behind. */
    async function claimExactly(claim: () => Promise<ClaimResult>): Promise<bigint> {
      const before = BigInt(await chain.getBalance(agent.publicKey));
      const { claimedSOL, transactionHash, verified, gainedSOL } = await claim();
      const after = BigInt(await chain.getBalance(agent.publicKey));
      expect({ verified, gainedSOL }).toEqual({
        verified: true,
        gainedSOL: Number(after - before) / 1e9,
      });
      const landed = await chain.getTransaction(transactionHash, { commitment: "confirmed" });
      expect(landed?.transaction.signatures).toEqual([transactionHash]);
      const fee = BigInt(landed?.meta?.fee ?? 0);
      expect(fee).toBeGreaterThanOrEqual(SIGNATURE_FEE);
      expect(after - before + fee).toBe(lamports(claimedSOL));
      paidInAll += lamports(claimedSOL);
      expect(await chain.getAccountInfo(tokenAccountOf(agent.publicKey))).toBeNull();
      return lamports(claimedSOL);
    }

    async function tokensOf(trader: Keypair): Promise<bigint> {
      const { value } = await chain.getTokenAccountBalance(tokenAccountOf(trader.publicKey));
      return BigInt(value.amount);
    }

    test("an operator creates a config, runs the doctor and starts the server", async () => {
      await keygen(keypairs.launch, 20);
      const env = {
        CHAIN: "solana",
        RPC_URL: localnet.url,
        LAUNCH_KEYPAIR: keypairs.launch,
        PUBLIC_URL: "https://tokens.example",
      };
      const made = await run(
        [programs.tokend, "config", "create", "--json", "--token-standard", tokenStandard],
        folder.path,
        env,
      );
      expect(made.exitCode).toBe(0);
      expect(made.stderr).toMatch(/^Of each trade of 100 SOL.*Sending transaction/s);
      const { config, signature } = JSON.parse(made.stdout) as {
        config: string;
        signature: string;
      };
      expect((await chain.getSignatureStatus(signature)).value?.err).toBeNull();

      const configured = { ...env, DBC_CONFIG: config, MAX_DAILY_SPEND_SOL: "1.5" };
      const doctor = await run([programs.tokend, "doctor"], folder.path, configured);
      // A real node on a busy machine makes its blocks late, by which its time is behind.
      const failures = doctor.stdout.match(/^FAIL .*$/gm) ?? [];
      const isLate = process.env.TEST_NODE && failures.every((it) => it.startsWith("FAIL  clock"));
      expect(isLate ? [] : failures).toEqual([]);
      expect(doctor.stdout).toContain("pays for");
      expect(doctor.stdout).toContain("launches can take at most 1.5 SOL a day");
      expect(doctor.exitCode).toBe(failures.length === 0 ? 0 : 1);

      // Clients sign in only at the host that they call, which is this machine.
      const here = {
        ...configured,
        PUBLIC_URL: "http://localhost",
        METADATA_BASE_URL: "https://metadata.example",
        POOL_WATCH_SECONDS: "1",
      };
      server = await startTokend([programs.tokend], folder.path, here);
    });

    test("an agent launches a token whose pool names it as creator from the first slot", async () => {
      agent = await keygen(keypairs.agent, 1);
      const logo = join(folder.path, "logo.gif");
      await Bun.write(logo, GIF);
      const launch = ["launch", "--name", "Any", "--ticker", "METEORA", "--image", logo];
      found = await tokenctl<LaunchCheck>(keypairs.agent, ...launch, "--dry-run");
      expect(found).toMatchObject({ ok: true, service: { ok: true }, onChain: { name: "Any" } });
      token = await tokenctl<LaunchStatus>(
        keypairs.agent,
        "launch",
        "--name",
        `A name of many characters 🚀 ${"x".repeat(200)}`,
        "--on-chain-name",
        "A short name 🚀",
        "--ticker",
        "METEORA",
        "--image",
        logo,
        "--website",
        "https://meteora.example",
        "--interval",
        "1",
      );
      expect(token.status).toBe("success");
      mint = new PublicKey(token.tokenMint ?? "");
      pool = new PublicKey(token.poolAddress ?? "");
      const state = await DynamicBondingCurveClient.create(chain).state.getPool(pool);
      expect(state?.poolState.creator.toBase58()).toBe(agent.publicKey.toBase58());
      expect(state?.poolState.baseMint.toBase58()).toBe(mint.toBase58());
      const document = await fetch(`${server.url}/metadata/${mint}.json`);
      expect(await document.json()).toMatchObject({ symbol: "METEORA" });
      expect((await chain.getAccountInfo(mint))?.owner).toEqual(tokenProgram);
      expect(await fees()).toMatchObject({ dbcTotalFees: 0, lpTotalFees: 0, isMigrated: false });
    });

    test("explorers find the token's image, links, fees and origin", async () => {
      const uri = `https://metadata.example/metadata/${mint}.json`;
      const accounts = await chain.getMultipleAccountsInfo([mint, deriveMintMetadata(mint)]);
      const onChain = Buffer.concat(accounts.map((it) => it?.data ?? Buffer.alloc(0)));
      expect(onChain.includes(uri)).toBeTrue();
      expect(onChain.includes("A short name 🚀")).toBeTrue();
      expect(onChain.includes("A name of many")).toBeFalse();

      const fee = { startBps: 100, endBps: 100, creatorSharePercent: 100 };
      const terms = {
        creator: agent.publicKey.toBase58(),
        fees: { bondingCurve: fee, liquidityPool: fee },
      };
      const document = (await (await fetch(`${server.url}/metadata/${mint}.json`)).json()) as {
        image: string;
      };
      expect(document).toMatchObject({ ...terms, external_url: "https://meteora.example" });
      const image = await fetch(document.image.replace("https://metadata.example", server.url));
      expect(await new Bun.Image(await image.bytes()).metadata()).toMatchObject({ format: "png" });

      const client = new TokenctlClient({ apiUrl: server.url });
      const origin = await client.publicToken(mint.toBase58());
      expect(origin.fees).toEqual(found.fees);
      const state = await DynamicBondingCurveClient.create(chain).state.getPool(pool);
      expect(origin).toMatchObject({
        ...terms,
        poolAddress: pool.toBase58(),
        config: state?.poolState.config.toBase58(),
      });
      const { value } = await chain.getSignatureStatus(origin.launchTransaction ?? "");
      expect(value?.err).toBeNull();
    });

    test("trades earn the fees that Meteora's own SDK reads, and the CLI claims them", async () => {
      for (const trader of traders) await fund(trader.publicKey, 1_000);
      await buy(chain, { pool, trader: traders[0] }, parseSol("5"));
      await buy(chain, { pool, trader: traders[1] }, parseSol("3.000000007"));
      await sell(chain, { pool, trader: traders[0] }, (await tokensOf(traders[0])) / 3n);
      const before = await fees();
      expect(before).toMatchObject(await sdkFees());
      expect(before.dbcClaimableFees).toBeGreaterThan(0);
      expect(await nextEvent("--after", "1", "--fees-above", "0.05")).toMatchObject({
        type: "fees.claimable",
        data: { tokenMint: mint.toBase58() },
      });
      const paid = await claimExactly(() => tokenctl(keypairs.agent, "claim", mint.toBase58()));
      expect(paid).toBe(lamports(before.dbcClaimableFees));
      const after = await fees();
      expect(after).toMatchObject(await sdkFees());
      expect(after).toMatchObject({ dbcClaimableFees: 0, dbcTotalFees: before.dbcTotalFees });
    });

    test("after migration the SDK claims both kinds in one transaction", async () => {
      await buy(chain, { pool, trader: traders[1] }, parseSol("900"));
      await migrate(chain, pool, traders[0]);
      // After the launch, the fees and the claim.
      expect(await nextEvent("--after", "3")).toMatchObject({
        type: "token.migrated",
        data: { tokenMint: mint.toBase58() },
      });
      const liquidity = liquidityPoolAddress(CUSTOMIZABLE, mint);
      await buyMigrated(chain, { pool: liquidity, trader: traders[0] }, parseSol("8"));
      await sellMigrated(
        chain,
        { pool: liquidity, trader: traders[1] },
        (await tokensOf(traders[1])) / 100n,
      );
      const before = await fees();
      expect(before.isMigrated).toBeTrue();
      expect(before).toMatchObject(await sdkFees());
      expect(before.dbcClaimableFees).toBeGreaterThan(0);
      expect(before.lpClaimableFees).toBeGreaterThan(0);

      const client = new TokenctlClient({
        apiUrl: server.url,
        rpcUrl: localnet.url,
        signer: keypairSigner(agent.secretKey),
      });
      const paid = await claimExactly(() => client.claim(mint.toBase58()));
      expect(paid).toBe(lamports(before.dbcClaimableFees) + lamports(before.lpClaimableFees));
      expect(await fees()).toMatchObject({
        dbcClaimableFees: 0,
        lpClaimableFees: 0,
        lpClaimedFees: before.lpTotalFees,
      });
      const record = await tokenctl<Token>(keypairs.agent, "token", mint.toBase58());
      expect(record).toMatchObject({
        isClaimed: true,
        claimedToAddress: agent.publicKey.toBase58(),
      });
    });

    test("without SOL the agent claims by its sponsor, for the network fee alone", async () => {
      const empty = {
        fromPubkey: agent.publicKey,
        toPubkey: traders[0].publicKey,
        lamports: (await chain.getBalance(agent.publicKey)) - Number(SIGNATURE_FEE),
      };
      await send(chain, [SystemProgram.transfer(empty)], [agent]);
      const liquidity = liquidityPoolAddress(CUSTOMIZABLE, mint);
      await buyMigrated(chain, { pool: liquidity, trader: traders[0] }, parseSol("8"));
      const sponsor = readKeypairFile(keypairs.launch).publicKey;
      const before = await chain.getBalance(sponsor);
      const { lpClaimableFees } = await fees();
      const claimed = await tokenctl<ClaimResult>(keypairs.agent, "claim", mint.toBase58());
      expect(claimed).toMatchObject({ verified: true, claimedSOL: lpClaimableFees });
      paidInAll += lamports(claimed.claimedSOL);
      expect(BigInt(await chain.getBalance(agent.publicKey))).toBe(
        lamports(lpClaimableFees) - 2n * SIGNATURE_FEE,
      );
      expect(claimed.gainedSOL).toBe((await chain.getBalance(agent.publicKey)) / 1e9);
      expect(await chain.getBalance(sponsor)).toBe(before);
    });

    test("the history is what the chain paid, by kind and to the lamport", async () => {
      const { claims } = await tokenctl<ClaimHistory>(keypairs.agent, "history");
      expect(claims).toHaveLength(3);
      const kinds = { dbc: 0n, lp: 0n };
      for (const claim of claims) {
        const { transactionHash } = claim;
        const landed = await chain.getTransaction(transactionHash, { commitment: "confirmed" });
        expect(payoutOf(landed?.meta ?? {}, agent.publicKey.toBase58())).toBe(
          BigInt(claim.claimedLamports),
        );
        kinds.dbc += BigInt(claim.dbcClaimedLamports ?? -1);
        kinds.lp += BigInt(claim.lpClaimedLamports ?? -1);
      }
      const read = await fees();
      expect(kinds).toEqual({
        dbc: lamports(read.dbcClaimedFees),
        lp: lamports(read.lpClaimedFees),
      });
      expect(kinds.lp).toBeGreaterThan(0n);
      expect(kinds.dbc + kinds.lp).toBe(paidInAll);
    });

    test("the server prints neither the RPC's URL nor a key", async () => {
      const { host } = new URL(localnet.url);
      expect(server.output()).not.toContain(host);
      expect(server.output()).not.toContain(readFileSync(keypairs.launch, "utf8").slice(1, 40));
    });
  });
});
