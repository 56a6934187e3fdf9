import { expect, test } from "bun:test";
import type { Handler } from "./testing/api.ts";
import { refuse, serveApi } from "./testing/api.ts";
import { run, temporaryFolder, temporaryWallet } from "./testing/cli.ts";

const EVENT = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
const MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const launched = {
  ...{ eventId: EVENT, ticker: "WIF", status: "success", processedAt: "now", error: null },
  ...{ tokenMint: MINT, poolAddress: MINT },
};

const on = (network?: string): Record<string, Handler> => ({
  "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network }),
  "POST /api/v1/tokens/launch": () => ({ success: true, eventId: EVENT, message: "" }),
  [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => launched,
  "GET /api/v1/tokens/claims": () => ({ claims: [] }),
});
const LAUNCH = ["launch", "--name", "a", "--ticker", "WIF", "--interval", "0.1"];

test("a wallet's first use of real money with a server is warned of, once", async () => {
  using folder = temporaryFolder();
  using wallet = temporaryWallet();
  using other = temporaryWallet();
  await using api = serveApi(on("mainnet-beta"));
  const runIt = (args: readonly string[], keypair: string) =>
    run([...args, "--api-url", api.url, "-k", keypair], {
      env: { XDG_CONFIG_HOME: folder.path },
    });
  const warning = (address: string) =>
    `warning: ${api.url} is on mainnet-beta: from here on ${address} uses real money\n`;
  expect((await runIt(LAUNCH, wallet.keypair)).stderr).toBe(warning(wallet.address));
  expect((await runIt(["claim", "--all"], wallet.keypair)).stderr).toBe("");
  expect((await runIt(["claim", "--all"], other.keypair)).stderr).toBe(warning(other.address));
});

test("what was warned of is forgotten if it cannot be kept, and the command goes on", async () => {
  using wallet = temporaryWallet();
  await using api = serveApi(on("mainnet-beta"));
  for (const _ of [1, 2]) {
    const { stderr, exitCode } = await run([...LAUNCH, "--api-url", api.url, "-k", wallet.keypair]);
    expect(stderr).toContain("uses real money");
    expect(exitCode).toBe(0);
  }
});

test.each([
  ["mainnet-beta", `https://explorer.solana.com/address/${MINT}\n`],
  ["devnet", `https://explorer.solana.com/address/${MINT}?cluster=devnet\n`],
  ["sandbox", null],
  [undefined, null],
])(
  "after a launch on %s the terminal shows its explorer and what to do next",
  async (name, link) => {
    using wallet = temporaryWallet();
    await using api = serveApi(on(name));
    const args = [...LAUNCH, "--api-url", api.url, "-k", wallet.keypair];
    const shown = await run(args, { terminal: true, env: { TERM: "dumb" } });
    if (name === undefined) expect(shown.stdout).not.toContain("Network");
    else expect(shown.stdout).toContain(`Network    ${name}\n`);
    if (link === null) expect(shown.stderr).not.toContain("explorer");
    else expect(shown.stderr).toContain(link);
    expect(shown.stderr).toContain("`tokenctl claim WIF` claims it");
    const piped = await run(args);
    expect(piped.stderr).not.toContain("explorer");
    expect(JSON.parse((await run([...args, "--json"])).stdout)).toEqual(launched);
  },
);

test("login and health name the network, and do without it at an older server", async () => {
  using wallet = temporaryWallet();
  for (const [routes, network] of [
    [on("testnet"), "testnet"],
    [{ "GET /health": () => refuse(404, "Not found") }, null],
  ] as const) {
    await using api = serveApi(routes);
    const login = await run(["login", "--api-url", api.url, "-k", wallet.keypair]);
    expect(login).toMatchObject({ stderr: "", exitCode: 0 });
    if (network === null) expect(login.stdout).not.toContain("Network");
    else {
      expect(login.stdout).toContain("Network  testnet\n");
      const health = await run(["health", "--api-url", api.url]);
      expect(health.stdout).toContain("Network   testnet\n");
    }
  }
});
