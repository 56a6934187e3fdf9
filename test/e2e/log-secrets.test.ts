import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import bs58 from "bs58";
import { Agent, send } from "../support/agent.ts";
import { type ServerProcess, startTokend, TOKEND, tempDir } from "../support/processes.ts";

const JWT_SECRET = 'a JWT secret that must stay secret, "quoted"';

function start(folder: string, env: Readonly<Record<string, string>> = {}) {
  const settings = { LOG_LEVEL: "trace", JWT_SECRET };
  return startTokend(TOKEND, folder, { ...settings, ...env });
}

/** Waits for a line that matches. @returns the log so far */
async function logged(server: ServerProcess, pattern: RegExp): Promise<string> {
  while (!pattern.test(server.output())) await Bun.sleep(10);
  return server.output();
}

function expectNoneOf(log: string, secrets: Readonly<Record<string, string>>) {
  const found = Object.entries(secrets).filter(([, secret]) => log.includes(secret));
  expect(found).toEqual([]);
}

test("what an agent does leaves ids in the log, and no secret", async () => {
  using folder = tempDir();
  await using server = await start(folder.path);
  const agent = new Agent(server);
  const nonce = await agent.nonce();
  const wrong = agent.sign("something else");
  await agent.verify(await agent.nonce(), wrong);
  const signature = agent.sign(`Sign this message to authenticate: ${nonce}`);
  agent.token = ((await agent.verify(nonce)).body as { token: string }).token;

  const launch = await agent.launched("QUIET");
  const mint = launch.tokenMint ?? "";
  await agent.post("/dev/airdrop", { sol: 1 });
  await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 2 });
  const { transaction } = await agent.prepareClaim(mint);
  const signed = agent.signClaim(transaction);
  const receipt = await agent.submitClaim(mint, signed);
  expect(receipt.status).toBe(200);

  // What goes wrong is logged too.
  const key = "idempotency-key-of-the-agent";
  await agent.post(
    "/api/v1/tokens/launch",
    { ticker: "X", nmae: nonce },
    { "idempotency-key": key },
  );
  await send(server.url, "GET", "/api/v1/tokens/", { token: `${agent.token}x` });
  await send(server.url, "GET", `/no/such/path/${nonce}?token=${agent.token}`);
  const segment = encodeURIComponent(nonce);
  await send(server.url, "GET", `/api/v1/tokens/launch/status/${segment}`, { token: agent.token });
  await agent.submitClaim(mint, transaction);

  const log = await logged(
    server,
    /"route":"\/api\/v1\/tokens\/claims\/:mintAddress","status":400/,
  );
  expect(log).toContain(`"wallet":"${agent.wallet}","eventId":"${launch.eventId}"`);
  expect(log).toContain('"route":"/api/v1/tokens/launch/status/:eventId","status":404');
  expect(log.match(/"requestId":"[0-9a-f-]{36}"/g)?.length).toBeGreaterThan(10);
  expectNoneOf(log, {
    nonce,
    "nonce without its host": nonce.slice(nonce.indexOf("/") + 1),
    signature,
    wrong,
    key,
    "bearer token": agent.token,
    "signed transaction": signed,
    "unsigned transaction": transaction,
    "transaction's signature": (receipt.body as { transactionHash: string }).transactionHash,
    "agent's key": bs58.encode(agent.keypair.secretKey),
    "agent's key as JSON": agent.keypair.secretKey.toString(),
    "JWT secret": JWT_SECRET.slice(0, 20),
    "mint secret": readFileSync(join(folder.path, "data/mint.secret"), "utf8").trim(),
  });
});
