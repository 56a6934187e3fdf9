import { expect, test } from "bun:test";
import { Transaction } from "@solana/web3.js";
import bs58 from "bs58";
import { agent, meteoraClaims, mint, pool } from "../../sdk/test/claim-transactions.ts";
import { prepared } from "../../sdk/test/client-fixtures.ts";
import { type Handler, runAgainst, serveApi } from "./testing/api.ts";
import { type RunOptions, run, tempDir, temporaryWallet } from "./testing/cli.ts";
import { claimRecord, EVENT, launchStatus, MINT, tokenRecord } from "./testing/records.ts";

const launched = launchStatus({
  ticker: "WIF",
  status: "success",
  processedAt: "now",
  tokenMint: MINT,
  poolAddress: MINT,
});

const accepted = { success: true, eventId: EVENT, message: "" };
const token = tokenRecord({
  tokenMint: mint.toBase58(),
  poolAddress: pool.toBase58(),
  ticker: "AAA",
  tokenName: "A",
});

const on = (network?: string): Record<string, Handler> => ({
  "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network }),
  "POST /api/v1/tokens/launch": () => accepted,
  [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => launched,
  "GET /api/v1/tokens/claims": () => ({ claims: [] }),
});
/** A dumb terminal gets notices without a spinner. */
const IN_TERMINAL = { terminal: true, env: { TERM: "dumb" } };
const LAUNCH = ["launch", "--name", "a", "--ticker", "WIF", "--interval", "0.1"];

test("a wallet's first use of real money with a server is warned of, once", async () => {
  using folder = tempDir();
  using wallet = temporaryWallet();
  using other = temporaryWallet();
  await using api = serveApi(on("mainnet-beta"));
  const env = { XDG_CONFIG_HOME: folder.path };
  const runIt = (args: readonly string[], keypair: string, options: RunOptions = { env }) =>
    run([...args, "--api-url", api.url, "-k", keypair], options);
  const warning = (address: string) =>
    `warning: ${api.url} is on mainnet-beta: from now on ${address} uses real money\n`;
  // What a quiet command, or one that cannot keep it, has not shown is shown by the next.
  expect((await runIt([...LAUNCH, "--quiet"], wallet.keypair)).stderr).toBe("");
  const unkept = await runIt(LAUNCH, wallet.keypair, {});
  expect(unkept).toMatchObject({ stderr: warning(wallet.address), exitCode: 0 });
  expect((await runIt(LAUNCH, wallet.keypair)).stderr).toBe(warning(wallet.address));
  expect((await runIt(["claim", "--all"], wallet.keypair)).stderr).toBe("");
  expect((await runIt(["claim", "--all"], other.keypair)).stderr).toBe(warning(other.address));
});

test("a launch without a wait names the network, and how to come back to it", async () => {
  const args = [...LAUNCH, "--no-wait"];
  const { stdout, stderr } = await runAgainst(on("devnet"), args, IN_TERMINAL);
  expect(stdout).toContain("Network   devnet\n");
  expect(stderr).toContain(`tokenctl status ${EVENT} --wait`);
  const json = JSON.parse((await runAgainst(on("devnet"), [...args, "--json"])).stdout);
  expect(json).toEqual({ ...accepted, network: "devnet" });
});

test.each(["claim AAA", "claim --all"])(
  "after `%s` the terminal shows each transaction in the explorer and what to do next",
  async (line) => {
    let hash = "";
    const routes: Record<string, Handler> = {
      ...on("devnet"),
      "GET /api/v1/tokens/": () => ({ tokens: [token] }),
      "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("AAA", token.tokenMint)] }),
      [`GET /api/v1/tokens/${token.tokenMint}`]: () => token,
      [`POST /api/v1/tokens/claims/${token.tokenMint}`]: async (request) => {
        const body = await request.text();
        if (body === "") return prepared;
        const signed = Transaction.from(Buffer.from(JSON.parse(body).signedTransaction, "base64"));
        hash = bs58.encode(signed.signature ?? new Uint8Array());
        return { success: true, transactionHash: hash, claimedSOL: 0.01 };
      },
    };
    const options = { ...IN_TERMINAL, secretKey: agent.secretKey };
    const { stderr, exitCode } = await runAgainst(routes, line.split(" "), options);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`See https://explorer.solana.com/tx/${hash}?cluster=devnet\n`);
    expect(stderr).toContain("Next: `tokenctl history` lists what was paid\n");
  },
);

test.each([
  ["mainnet-beta", `https://explorer.solana.com/address/${MINT}\n`],
  ["devnet", `https://explorer.solana.com/address/${MINT}?cluster=devnet\n`],
  ["sandbox", null],
  ["localnet", null],
  ["private", null],
  [undefined, null],
])(
  "after a launch on %s the terminal shows its explorer and what to do next",
  async (name, link) => {
    const shown = await runAgainst(on(name), LAUNCH, IN_TERMINAL);
    if (name === undefined) expect(shown.stdout).not.toContain("Network");
    else expect(shown.stdout).toContain(`Network    ${name}\n`);
    if (link === null) expect(shown.stderr).not.toContain("explorer");
    else expect(shown.stderr).toContain(link);
    expect(shown.stderr).toContain("`tokenctl claim WIF` claims it");
    const piped = await runAgainst(on(name), LAUNCH);
    expect(piped.stderr).not.toContain("explorer");
    const json = JSON.parse((await runAgainst(on(name), [...LAUNCH, "--json"])).stdout);
    expect(json).toEqual({ ...launched, ...(name && { network: name }) });
  },
);

test.each([
  ["asks before a claim that can land on a real chain", meteoraClaims.curve, 1],
  ["asks nothing before one that a sandbox alone takes", prepared.transaction, 0],
])("claim --all %s, whatever the server calls its chain", async (_, transaction, questions) => {
  for (const network of ["sandbox", "localnet"]) {
    let [asked, signed] = [0, 0];
    const routes: Record<string, Handler> = {
      ...on(network),
      [`GET /api/v1/tokens/${token.tokenMint}`]: () => token,
      "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("AAA", token.tokenMint)] }),
      [`POST /api/v1/tokens/claims/${token.tokenMint}`]: async (request) => {
        signed += (await request.text()) === "" ? 0 : 1;
        return { ...prepared, transaction };
      },
    };
    const { stderr } = await runAgainst(routes, ["claim", "--all"], {
      secretKey: agent.secretKey,
      answer() {
        asked++;
        return "n";
      },
    });
    expect([asked, signed > 0]).toEqual([questions, questions === 0]);
    if (questions > 0) expect(stderr).toContain("error: Nothing was done\n");
  }
});
