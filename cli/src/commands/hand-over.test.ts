import { afterAll, beforeAll, expect, test } from "bun:test";
import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { startTestServer, type TestServer } from "../../../test/support/test-server.ts";
import { serveApi } from "../testing/api.ts";
import { type RunOptions, run, temporaryWallet } from "../testing/cli.ts";

let server: TestServer;
const [own, other] = [temporaryWallet(), temporaryWallet()];
const clientOf = ({ secretKey }: typeof own) =>
  new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(secretKey) });
let to: string;
let mint: string;

beforeAll(async () => {
  server = await startTestServer();
  to = clientOf(other).address;
  const client = clientOf(own);
  await client.dev.airdrop({ sol: 1 });
  const { eventId } = await client.launch({ name: "A token", ticker: "MINE" });
  mint = (await client.waitForLaunch(eventId)).tokenMint ?? "";
  await client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  for (const wallet of [own, other]) wallet[Symbol.dispose]();
});

const tokenctl = (wallet: typeof own, line: string, options?: RunOptions) =>
  run([...line.split(" "), "--api-url", server.url, "-k", wallet.keypair], options);

test("hand-over asks where SOL has a value, shows what it gives, and goes on without an answer nowhere", async () => {
  const devnet = () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" });
  await using api = serveApi({ "GET /health": devnet }, server.url);
  const questions: string[] = [];
  const line = `hand-over MINE --to ${to}`.split(" ");
  const refused = await run([...line, "--api-url", api.url, "-k", own.keypair], {
    answer: (question) => {
      questions.push(question);
      return "n";
    },
  });
  expect(refused).toMatchObject({ stdout: "", exitCode: 1 });
  expect(questions).toEqual([`Give all future fees of MINE to ${to} on devnet? [y/N] `]);
  expect(refused.stderr.split("\n").slice(0, 8)).toEqual([
    "Token      MINE",
    `Mint       ${mint}`,
    `To         ${to}`,
    "It gets    all future fees of the curve, and of the pool after it; no liquidity",
    "Open fees  0.01 SOL, claimed first to this wallet",
    "Cost       0.000005 SOL",
    "Undo       not possible",
    "error: Nothing was done",
  ]);
  for (const more of ["", " --json"]) {
    const script = await tokenctl(own, `hand-over MINE --to ${to}${more}`);
    expect(script.exitCode).toBe(2);
    expect(script.stderr).toContain("Add --yes if no question can be asked");
  }
  const { claims } = await clientOf(own).claims();
  expect(claims[0]).toMatchObject({ dbcClaimableFees: 0.01, dbcClaimedFees: 0 });
});

test("without a question, a hand-over names the mint: the server would choose the token of a ticker", async () => {
  const { eventId } = (await clientOf(own).launches()).launches[0] ?? {};
  for (const name of ["MINE", eventId]) {
    const { exitCode, stderr } = await tokenctl(own, `hand-over ${name} --to ${to} --yes --json`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("with --yes, give the token's mint address");
  }
  expect((await clientOf(other).waitingTokens()).tokens).toEqual([]);
});

test("a receiver that is not a wallet is refused by the service, and one that is no address is refused at once", async () => {
  const refused = await tokenctl(own, `hand-over ${mint} --to ${mint} --yes --json`);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("must be the address of a wallet");
  const usage = await tokenctl(own, `hand-over ${mint} --to wallet --yes`);
  expect(usage).toMatchObject({ exitCode: 2, stdout: "" });
});

test("a token goes to its receiver, who accepts it, and back by --yes with its fees", async () => {
  const given = await tokenctl(own, `hand-over ${mint} --to ${to} --yes`, { terminal: true });
  expect(given.exitCode).toBe(0);
  expect(given.stdout).toMatch(/Claimed before +0\.01 SOL/);
  expect(given.stderr).toContain(`tokenctl accept ${mint}`);

  expect((await tokenctl(other, "accept --list")).stdout).toContain(mint);
  const wrong = await tokenctl(other, "accept MINES");
  expect(wrong).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("`accept --list`") });
  for (const line of ["accept", `accept ${mint} --list`]) {
    expect((await tokenctl(other, line)).exitCode).toBe(2);
  }
  const early = await tokenctl(other, "fees --json");
  expect(JSON.parse(early.stdout).claims).toEqual([]);
  const accepted = await tokenctl(other, `accept ${mint} --json`);
  expect((await tokenctl(other, "accept --list")).stdout).toBe("No token waits to be accepted.\n");
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    ticker: "MINE",
    launchedBy: clientOf(own).address,
  });
  const shown = await tokenctl(own, "token MINE");
  expect(shown.stdout).toMatch(new RegExp(`Handed over to +${to}`));
  await clientOf(other).dev.airdrop({ sol: 1 });
  await clientOf(own).dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
  const back = await tokenctl(
    other,
    `hand-over ${mint} --to ${clientOf(own).address} --yes --json`,
  );
  expect(back.exitCode).toBe(0);
  expect(JSON.parse(back.stdout)).toEqual({
    tokenMint: mint,
    to: clientOf(own).address,
    transactionHash: expect.any(String),
    claimed: [expect.objectContaining({ claimedSOL: 0.01 })],
  });
  await clientOf(own).dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
  // The way out for a wallet that no claim can pay.
  const left = await tokenctl(own, `hand-over ${mint} --to ${to} --leave-fees --yes --json`);
  expect(JSON.parse(left.stdout)).toMatchObject({ to, claimed: [] });
  await tokenctl(other, `accept ${mint}`);
  const [received] = (await clientOf(other).claims({ received: true })).claims;
  expect(received).toMatchObject({ tokenMint: mint, claimableSOL: 0.01 });
  await tokenctl(other, `hand-over ${mint} --to ${clientOf(own).address} --yes`);
  const gone = await tokenctl(other, `accept ${mint}`);
  expect(gone.exitCode).toBe(4);
});
