import { afterAll, beforeAll, expect, test } from "bun:test";
import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { startTestServer, type TestServer } from "../../../test/support/test-server.ts";
import { type RunOptions, run, TOKENCTL, temporaryWallet } from "../testing/cli.ts";
import { openTerminal } from "../testing/terminal.ts";

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

test("hand-over asks a terminal for the last six characters, and goes on without them nowhere", async () => {
  const questions: string[] = [];
  const otherCase = to
    .slice(-6)
    .replace(/[a-z]/i, (it) => (it > "Z" ? it.toUpperCase() : it.toLowerCase()));
  for (const answer of ["", "y", to.slice(-5), to.slice(0, 6), otherCase, to]) {
    const refused = await tokenctl(own, `hand-over MINE --to ${to}`, {
      answer: (question) => {
        questions.push(question);
        return answer;
      },
    });
    expect(refused).toMatchObject({ stdout: "", exitCode: 1 });
    expect(refused.stderr).toContain("error: Nothing was done\n");
  }
  expect(questions).toHaveLength(6);
  expect(questions[0]).toBe(
    `Give all future fees of MINE to ${to} on sandbox? The last 6 characters of the address: `,
  );
  const shown = (await tokenctl(own, `hand-over MINE --to ${to}`, { answer: () => "" })).stderr;
  expect(shown.split("\n").slice(0, 7)).toEqual([
    "Token      MINE",
    `Mint       ${mint}`,
    `To         ${to}`,
    "It gets    all future fees of the curve, and of the pool after it; no liquidity",
    "Open fees  0.01 SOL, claimed first to this wallet",
    "Cost       0.000005 SOL",
    "Undo       not possible",
  ]);
  for (const more of ["", " --json"]) {
    const script = await tokenctl(own, `hand-over MINE --to ${to}${more}`);
    expect(script.exitCode).toBe(2);
    expect(script.stderr).toContain("Add --yes where no question can be asked");
  }
  const { claims } = await clientOf(own).claims();
  expect(claims[0]).toMatchObject({ dbcClaimableFees: 0.01, dbcClaimedFees: 0 });
});

test("a receiver that is not a wallet is refused by the service, and one that is no address is refused at once", async () => {
  const refused = await tokenctl(own, `hand-over MINE --to ${mint} --yes --json`);
  expect(refused.exitCode).toBe(5);
  expect(JSON.parse(refused.stderr)).toMatchObject({
    code: "receiver_not_wallet",
    hint: expect.stringContaining("is an account of the program"),
  });
  const usage = await tokenctl(own, "hand-over MINE --to wallet --yes");
  expect(usage).toMatchObject({ exitCode: 2, stdout: "" });
});

test("a token goes to its receiver, who accepts it, and back by --yes with its fees", async () => {
  const wanted = to.slice(-6);
  const args = ["hand-over", "MINE", "--to", to, "--api-url", server.url, "-k", own.keypair];
  // 50 columns are too narrow for a label and an address on one line.
  const terminal = openTerminal([...TOKENCTL, ...args], 50);
  await terminal.shows("The last 6 characters of the address: ");
  expect(terminal.text()).toContain(`\n${to}`);
  terminal.type(`${wanted}\r`);
  const { lines, exitCode } = await terminal.end();
  expect(exitCode).toBe(0);
  expect(lines.join("\n")).toMatch(/Claimed before +0\.01 SOL/);
  expect(lines.join("\n")).toContain(`tokenctl accept ${mint}`);

  expect((await tokenctl(other, "accept --list")).stdout).toContain(mint);
  const declined = await tokenctl(other, "decline mine --json");
  expect(JSON.parse(declined.stdout)).toMatchObject({ tokens: [{ tokenMint: mint }] });
  for (const line of ["accept --list", "decline --all"]) {
    expect((await tokenctl(other, line)).stdout).toBe("No token waits to be accepted.\n");
  }
  for (const line of ["accept", "decline", `accept ${mint} --list`, `decline ${mint} --all`]) {
    expect((await tokenctl(other, line)).exitCode).toBe(2);
  }
  expect((await tokenctl(own, `decline ${mint}`)).exitCode).toBe(4);

  const early = await tokenctl(other, "fees --json");
  expect(JSON.parse(early.stdout).claims).toEqual([]);
  const accepted = await tokenctl(other, `accept ${mint} --json`);
  const late = await tokenctl(other, `decline ${mint}`);
  expect([late.exitCode, late.stderr]).toEqual([
    5,
    "error: Token is accepted already\nhint: Keep it, or hand it over to another wallet\n",
  ]);
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
    `hand-over mine --to ${clientOf(own).address} --leave-fees --yes --json`,
  );
  expect(back.exitCode).toBe(0);
  expect(JSON.parse(back.stdout)).toEqual({
    tokenMint: mint,
    to: clientOf(own).address,
    transactionHash: expect.any(String),
    claimed: [],
  });
  const { claims } = await clientOf(own).claims();
  expect(claims[0]?.claimableSOL).toBe(0.01);
  const gone = await tokenctl(other, `accept ${mint}`);
  expect(gone.exitCode).toBe(4);
});
