import { afterAll, beforeAll, expect, test } from "bun:test";
import { HealthSchema, WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const balanceOf = async (agent: Agent) =>
  expectShape(WalletBalanceSchema, (await agent.get("/api/v1/wallet")).body);

test("an agent reads the SOL of its own wallet", async () => {
  const [agent, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  expect(await balanceOf(agent)).toEqual({ wallet: agent.wallet, balanceSOL: 0 });
  await agent.post("/dev/airdrop", { sol: "1.000000001" });
  expect(await balanceOf(agent)).toEqual({ wallet: agent.wallet, balanceSOL: 1.000000001 });
  expect(await balanceOf(other)).toEqual({ wallet: other.wallet, balanceSOL: 0 });
});

test("an agent reads the SOL of another wallet, and of nothing that is none", async () => {
  const [agent, other] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  await other.post("/dev/airdrop", { sol: "0.5" });
  const { body } = await agent.get(`/api/v1/wallet?wallet=${other.wallet}`);
  expect(expectShape(WalletBalanceSchema, body)).toEqual({
    wallet: other.wallet,
    balanceSOL: 0.5,
  });
  for (const wallet of ["", "x", other.wallet.padEnd(45, "1"), "9".repeat(10_000)]) {
    const refused = await agent.get(`/api/v1/wallet?wallet=${wallet}`);
    expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  }
});

test("health names the sandbox, so that its SOL is not taken for money", async () => {
  const { body } = await send(server.url, "GET", "/health");
  expect(expectShape(HealthSchema, body).network).toBe("sandbox");
});
