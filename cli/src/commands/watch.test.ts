import { afterAll, expect, test } from "bun:test";
import { generateSecretKey, keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { startTestServer } from "../../../test/support/test-server.ts";
import { run, spawn, spawnForHead, temporaryWallet } from "../testing/cli.ts";

// The client derives a token's lifetime from its `iat`, so the server runs on this machine's clock.
const server = await startTestServer({ POOL_WATCH_SECONDS: "1" }, {}, Date.now());
afterAll(() => server[Symbol.asyncDispose]());

async function busyWallet() {
  const { secretKey } = generateSecretKey();
  const wallet = temporaryWallet(secretKey);
  const client = new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(secretKey) });
  const ticker = wallet.address.slice(0, 6).toUpperCase();
  const launches = [];
  for (const name of [`${ticker}A`, `${ticker}B`]) {
    const { eventId } = await client.launch({ name, ticker: name });
    launches.push(await client.waitForLaunch(eventId));
  }
  return { ...wallet, launches, client };
}

test("watch prints a line for each event, or with --json a line of JSON", async () => {
  using wallet = await busyWallet();
  const [first, second] = wallet.launches;
  const args = ["--api-url", server.url, "-k", wallet.keypair, "--after", "0", "--count", "2"];
  const human = await run(["watch", ...args]);
  expect(human).toMatchObject({ stderr: "", exitCode: 0 });
  expect(human.stdout.split("\n").map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ["1", "launch.succeeded", first?.ticker, first?.tokenMint],
    ["2", "launch.rate_limited", second?.ticker, second?.eventId],
    [],
  ] as never);
  const json = await run(["watch", "--json", ...args]);
  const events = json.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events).toMatchObject([
    { id: 1, type: "launch.succeeded", data: { eventId: first?.eventId } },
    { id: 2, type: "launch.rate_limited", data: { eventId: second?.eventId } },
  ]);
});

test("watch goes on until Ctrl-C, which is no error", async () => {
  using wallet = await busyWallet();
  const args = ["--api-url", server.url, "-k", wallet.keypair, "--after", "1"];
  const watching = spawn(["watch", ...args]);
  let stdout = "";
  for await (const text of watching.stdout.pipeThrough(new TextDecoderStream())) {
    stdout += text;
    watching.kill("SIGINT");
  }
  expect(stdout).toMatch(/^\S+ \S+ +2 +launch\.rate_limited .*\n$/);
  expect(await new Response(watching.stderr).text()).toBe("");
  expect(await watching.exited).toBe(130);
});

test("watch ends if nothing reads its events any more", async () => {
  using wallet = await busyWallet();
  const args = ["--api-url", server.url, "-k", wallet.keypair, "--after", "1"];
  const piped = spawnForHead(["watch", ...args]);
  await piped.stdout.getReader().read();
  let isOver = false;
  const over = piped.exited.finally(() => {
    isOver = true;
  });
  // The first of these may come before `head` has ended.
  for (let n = 0; !isOver; n++) {
    const { eventId } = await wallet.client.launch({ name: "next", ticker: `PIPE${n}` });
    await wallet.client.waitForLaunch(eventId);
  }
  await over;
  expect(await new Response(piped.stderr).text()).toBe("0\n");
});

test("watch prints nothing of the past unless it is asked to", async () => {
  using wallet = await busyWallet();
  const args = ["--api-url", server.url, "-k", wallet.keypair, "--json", "--count", "1"];
  let isOver = false;
  const watching = run(["watch", ...args]).finally(() => {
    isOver = true;
  });
  // The first of these launches may be stored before the watch begins.
  for (let n = 0; !isOver; n++) {
    const { eventId } = await wallet.client.launch({ name: "next", ticker: `NEXT${n}` });
    await wallet.client.waitForLaunch(eventId);
  }
  expect(JSON.parse((await watching).stdout).id).toBeGreaterThan(2);
});

test("watch has the server tell of fees from an amount on, and no more", async () => {
  using wallet = await busyWallet();
  const [token] = wallet.launches;
  const { tokenMint } = token ?? {};
  const args = ["--api-url", server.url, "-k", wallet.keypair];
  const some = await run([
    "watch",
    ...args,
    "--fees-above",
    "0.010",
    "--after",
    "0",
    "--count",
    "1",
  ]);
  expect(some).toMatchObject({ exitCode: 0 });
  expect(await wallet.client.feeThreshold()).toEqual({ claimableSOL: 0.01 });
  await wallet.client.dev.trade({ tokenMint: tokenMint ?? "", side: "buy", sol: 1 });
  const told = await run(["watch", ...args, "--after", "2", "--count", "1"]);
  expect(told.stdout).toContain("fees.claimable");
  expect(told.stdout).toContain(tokenMint ?? "");
  await run(["watch", ...args, "--fees-above", "off", "--after", "0", "--count", "1"]);
  expect(await wallet.client.feeThreshold()).toEqual({ claimableSOL: null });
});
