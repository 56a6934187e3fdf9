import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { getAssociatedTokenAddressSync, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { SANDBOX_INSTRUCTION, SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { parseUnits, solToLamports } from "@tokenctl/shared/sol";
import { openMcp } from "../../cli/src/mcp/testing/mcp-client.ts";
import { serveApi } from "../../cli/src/testing/api.ts";
import { run, TOKENCTL, temporaryWallet } from "../../cli/src/testing/cli.ts";
import {
  CheckError,
  type ClientOptions,
  keypairSigner,
  type LaunchCheck,
  type LaunchRequest,
  type PreparedLaunch,
  TokenctlClient,
} from "../../sdk/src/index.ts";
import { launchInstructions } from "../../server/src/launchpad/meteora/launch.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import type { RunningServer } from "../../server/src/server.ts";
import { Cluster } from "../support/cluster.ts";
import { airdrop } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const MARK = new TransactionInstruction({
  programId: new PublicKey(SANDBOX_INSTRUCTION.program),
  keys: [{ pubkey: new PublicKey(SANDBOX_MINT), isSigner: false, isWritable: false }],
  data: Buffer.from(SANDBOX_INSTRUCTION.data),
});

describeMeteora("an agent that pays for its launch, on the real programs", () => {
  const folder = tempDir();
  let cluster: Cluster;
  let server: RunningServer;
  let chain: Connection;
  let config: string;

  beforeAll(async () => {
    cluster = await Cluster.start(1);
    chain = new Connection(cluster.url, "confirmed");
    const { env } = await cluster.launchWallet();
    const { LAUNCH_KEYPAIR: _, MAX_DAILY_SPEND_SOL: _limit, ...unpaid } = env;
    config = env.DBC_CONFIG ?? "";
    server = await startHere({
      ...unpaid,
      RPC_URL: cluster.url,
      PORT: "0",
      PUBLIC_URL: "http://127.0.0.1:0",
      DATA_DIR: join(folder.path, "data"),
      LAUNCH_PAYER: "agent",
    });
  });
  afterAll(async () => {
    await server?.stop();
    await cluster?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Waits until a transaction is confirmed, in whatever way it has ended. */
  async function landed(signature: string) {
    for (;;) {
      const status = await chain.getSignatureStatus(signature);
      if ((status.value?.confirmationStatus ?? "processed") !== "processed") return status;
      await Bun.sleep(50);
    }
  }

  /** An agent with this much SOL, and with a node that shows it what a config takes. */
  async function agentWith(sol: number) {
    const keypair = Keypair.generate();
    if (sol > 0) await airdrop(chain, keypair.publicKey, sol * 1e9);
    const client = clientOf(keypair, { rpcUrl: cluster.url });
    return { keypair, client, balance: () => chain.getBalance(keypair.publicKey) };
  }

  function clientOf(keypair: Keypair, options: ClientOptions = {}) {
    const signer = keypairSigner(keypair.secretKey);
    return new TokenctlClient({ apiUrl: server.url, signer, ...options });
  }

  const waiting = async (client: TokenctlClient) =>
    (await client.launches({ status: "pending" })).launches;

  test("launches for what it approved, and buys in the same transaction", async () => {
    const { client, keypair, balance } = await agentWith(2);
    let approved = 0;
    const asked = { name: "Own money", ticker: "OWN", payer: "agent", firstBuySOL: 0.5 } as const;
    const { ok, payment } = await client.checkLaunch(asked);
    expect([ok, payment?.canPay, payment?.balanceSOL]).toEqual([true, true, 2]);
    const quote = await client.quoteFirstBuy(asked);
    const told = await clientOf(keypair).quoteFirstBuy(asked);
    expect(quote.config).toBe(payment?.config ?? null);
    expect(told.config).toBe(quote.config);
    const request = { ...asked, firstBuyMinTokens: quote.minTokens };
    const { eventId } = await client.launch(request, {
      approve({ costSOL, creatorSharePercent, config, metadataUri, firstBuyMinUnits }) {
        approved = costSOL.total;
        expect(config).toBe(quote.config);
        expect(metadataUri).toContain("/metadata/");
        expect(firstBuyMinUnits).toBe(parseUnits(quote.minTokens));
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
    const mint = new PublicKey(launch.tokenMint ?? "");
    const holdings = getAssociatedTokenAddressSync(mint, keypair.publicKey);
    const { value } = await chain.getTokenAccountBalance(holdings);
    for (const { tokens, minTokens } of [quote, told]) {
      expect(Number(tokens) / Number(value.uiAmountString)).toBeCloseTo(1, 6);
      expect(Number(minTokens) / Number(tokens)).toBeCloseTo(0.98, 9);
    }
    const tooMuch = { ...asked, firstBuySOL: 99 };
    await expect(client.quoteFirstBuy(tooMuch)).rejects.toThrow(
      "The curve sells tokens for at most",
    );
  });

  describe("of a server that answers as it likes", () => {
    type Lie = (real: PreparedLaunch) => Promise<PreparedLaunch> | PreparedLaunch;

    /** A client on a loopback address, whose server lies in step 1. What the wallet signs stays here. */
    function attacked(keypair: Keypair, lies: readonly Lie[], settings: ClientOptions = {}) {
      const submitted: Buffer[] = [];
      let times = 0;
      const client = clientOf(keypair, {
        ...settings,
        async fetch(url, init) {
          const { signedTransaction } = JSON.parse(`${init?.body ?? "{}"}`);
          if (signedTransaction !== undefined) {
            submitted.push(Buffer.from(signedTransaction, "base64"));
            return Response.json({ error: "No", code: "not_signable" }, { status: 409 });
          }
          const answer = await fetch(url, init);
          if (url.endsWith("/launch/check") && settings.rpcUrl === undefined) {
            const { payment, ...check } = (await answer.json()) as LaunchCheck;
            return Response.json({ ...check, payment: payment && { ...payment, config: null } });
          }
          if (!url.endsWith("/transaction")) return answer;
          const lie = lies[Math.min(times++, lies.length - 1)] as Lie;
          return Response.json(await lie((await answer.json()) as PreparedLaunch));
        },
      });
      return { client, submitted };
    }

    async function encoded(payer: PublicKey, instructions: readonly TransactionInstruction[]) {
      const { blockhash } = await chain.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight: 0 });
      const bytes = transaction.add(...instructions).serialize({ requireAllSignatures: false });
      return bytes.toString("base64");
    }

    test.each([
      ["default settings", false, false, false],
      ["default settings, and marked as a sandbox's", true, false, false],
      ["a node", false, true, false],
      ["a node, and marked as a sandbox's", true, true, false],
      ["an expected config, and marked as a sandbox's", true, true, true],
    ])("a theft of 5 SOL that calls itself a sandbox's takes nothing: %s", async (...row) => {
      const [what, isMarked, hasNode, expects] = row;
      const { keypair, balance } = await agentWith(6);
      const { publicKey } = keypair;
      const [mint, thief] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
      const rent = { lamports: 1_461_600, space: 82, programId: TOKEN_PROGRAM_ID };
      const theft = [
        ...(isMarked ? [MARK] : []),
        SystemProgram.createAccount({ fromPubkey: publicKey, newAccountPubkey: mint, ...rent }),
        SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: thief, lamports: 5e9 }),
      ];
      const lie: Lie = async (real) => ({
        ...real,
        config: null,
        metadataUri: null,
        tokenMint: mint.toBase58(),
        transaction: await encoded(publicKey, theft),
      });
      const settings = hasNode ? { rpcUrl: cluster.url } : {};
      const { client, submitted } = attacked(keypair, [lie], settings);
      const ticker = `THEFT${what.length}`;
      const launching = client.launch(
        { name: "Theft", ticker, payer: "agent" },
        { maxCostSOL: 5.1, ...(expects && { expectedConfig: config }) },
      );
      await expect(launching).rejects.toBeInstanceOf(CheckError);
      expect([submitted, await balance(), await chain.getBalance(thief)]).toEqual([[], 6e9, 0]);
      expect(await waiting(client)).toEqual([]);
    });

    /** A launch under a config by which the server's partner gets almost all that the first buy pays. */
    async function greedy(agent: PublicKey, request: LaunchRequest, creatorShare = 95) {
      const config = await cluster.anotherConfig({ feeBps: 9_900, creatorShare });
      const mint = Keypair.generate();
      const uri = `${server.url}/metadata/${mint.publicKey}.json`;
      const order = {
        wallet: agent.toBase58(),
        firstBuy: {
          lamports: solToLamports(request.firstBuySOL ?? 0),
          minUnits: parseUnits(request.firstBuyMinTokens ?? "0"),
        },
      };
      const pool = {
        name: request.name,
        symbol: request.ticker,
        mint: mint.publicKey.toBase58(),
        uri,
        config,
        tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
        payer: order.wallet,
      };
      const instructions = launchInstructions(pool, order, false);
      const transaction = await encoded(agent, instructions);
      const tokenMint = mint.publicKey.toBase58();
      const lie: Lie = (real) => ({ ...real, config, tokenMint, metadataUri: uri, transaction });
      return { config, mint, lie };
    }

    const buying = { name: "Buys", payer: "agent", firstBuySOL: 5 } as const;

    test("a config that the server names after the quote, and that gives its partner what is bought, is not signed", async () => {
      const { keypair } = await agentWith(6);
      const request = { ...buying, ticker: "LATER", firstBuyMinTokens: "1" };
      const { config: other, lie } = await greedy(keypair.publicKey, request, 1);
      const { client, submitted } = attacked(keypair, [lie], { rpcUrl: cluster.url });
      await expect(client.launch(request, { approve: () => {} })).rejects.toThrow(
        `the partner of its config ${other} can get 98 % of what a first buy pays`,
      );
      expect(submitted).toEqual([]);
    });

    test("tokenctl signs no first buy under another config than that of its quote, and no model accepts one", async () => {
      const { keypair } = await agentWith(6);
      const other = await cluster.anotherConfig({ feeBps: 9_900, creatorShare: 1 });
      const route = "/api/v1/tokens/launch/check";
      let asked = 0;
      async function check(request: Request) {
        const found = (await (await fetch(server.url + route, request)).json()) as LaunchCheck;
        return asked++ === 0 ? found : { ...found, payment: { ...found.payment, config: other } };
      }
      await using api = serveApi({ [`POST ${route}`]: check }, server.url);
      using wallet = temporaryWallet(keypair.secretKey);
      const ends = ["--rpc-url", cluster.url, "--api-url", api.url, "-k", wallet.keypair];
      const flags = ["--name", "Buys", "--ticker", "QUOTED", "--pay", "--first-buy", "5", "--yes"];
      const { stderr } = await run(["launch", ...flags, ...ends]);
      expect(stderr).toContain(`Not signed: its config ${other} is not the quoted one`);
      const args = ["--no-confirm", "--allow-mainnet", "--pay", "--max-launch-cost-sol", "6"];
      const [apiUrl, folder] = [api.url, wallet.path];
      const node = ["--rpc-url", cluster.url];
      await using mcp = await openMcp([...args, ...node], { apiUrl, folder, command: TOKENCTL });
      const least = { ...buying, ticker: "MODEL", firstBuyMinTokens: "1" };
      const { text } = await mcp.call("launch_token", least);
      expect(text).toContain(`${other} can get 98 % of what a first buy pays`);
    });

    test("the least that a first buy gets, by the curve of the node, costs a switched config its sale", async () => {
      const { keypair, client: honest, balance } = await agentWith(6);
      const asked = { ...buying, ticker: "LEAST" };
      const { minTokens } = await honest.quoteFirstBuy(asked);
      const request = { ...asked, firstBuyMinTokens: minTokens };
      const { mint, lie } = await greedy(keypair.publicKey, request);
      const { client, submitted } = attacked(keypair, [lie], { rpcUrl: cluster.url });
      // It approves everything, so that the server gets a signature.
      const error = await client.launch(request, { approve: () => {} }).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: "not_signable", eventId: expect.any(String) });
      const [signed = Buffer.alloc(0)] = submitted;
      const transaction = Transaction.from(signed);
      transaction.partialSign(mint);
      const sending = chain.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
      const { value } = await landed(await sending);
      // DBC's `ExceededSlippage`.
      expect(value?.err).toEqual({ InstructionError: [expect.any(Number), { Custom: 6002 }] });
      expect(6e9 - (await balance())).toBe(10_000);
    });
  });
});
