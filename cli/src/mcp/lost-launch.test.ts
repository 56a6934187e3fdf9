import { afterAll, expect, test } from "bun:test";
import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { installBinaries } from "../../../test/support/binaries.ts";
import { startTestServer } from "../../../test/support/test-server.ts";
import { type Handler, refuseWith, serveApi } from "../testing/api.ts";
import { tempDir, temporaryWallet } from "../testing/cli.ts";
import { openMcp } from "./testing/mcp-client.ts";

const programs = tempDir();
const goOn = Promise.withResolvers<void>();

const command = [(await installBinaries(programs.path)).tokenctl];
const crashPoint = (name: string) => (name === "launch.leased" ? goOn.promise : Promise.resolve());
const server = await startTestServer({ WORKER_CONCURRENCY: "1" }, { crashPoint });
afterAll(async () => {
  goOn.resolve();
  programs[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

function agent(apiUrl = server.url) {
  const wallet = temporaryWallet();
  const signer = keypairSigner(wallet.secretKey);
  const mcp = (...args: readonly string[]) =>
    openMcp(["--no-confirm", ...args], { apiUrl, folder: wallet.path, command });
  return { ...wallet, client: new TokenctlClient({ apiUrl, signer }), mcp };
}

test("a launch whose id was lost is found again, and is cancelled and retried", async () => {
  using wallet = agent();
  using other = agent();
  const theirs = await other.client.launch({ name: "Another", ticker: "OTHER" });
  await using mcp = await wallet.mcp();
  const wanted = { name: "A token", ticker: "LOST" };
  await mcp.call("launch_token", { ...wanted, waitSeconds: 0 });

  const { launches } = (await mcp.call("list_launches", { status: "pending" })).data;
  expect(launches).toMatchObject([{ ticker: "LOST", tokenName: "A token" }]);
  const [{ eventId }] = launches;
  const foreign = await mcp.call("cancel_launch", { eventId: theirs.eventId });
  expect(foreign).toMatchObject({ isError: true, code: "launch_not_found" });
  const cancelled = await mcp.call("cancel_launch", { eventId });
  expect(cancelled.data).toMatchObject({ status: "failed", error: "Cancelled by its agent" });
  expect(await mcp.call("cancel_launch", { eventId })).toEqual(cancelled);
  expect((await mcp.call("list_launches", { status: "pending" })).data.launches).toEqual([]);
  const { refusals } = await other.client.checkLaunch(wanted);
  expect(refusals.map(({ code }) => code)).not.toContain("ticker_taken");
  // A cancelled launch still counts for the day.
  const more = await mcp.call("launch_token", { name: "More", ticker: "MORE" });
  expect(more.code).toBe("launches_used_up");

  goOn.resolve();
  const retried = await mcp.call("retry_launch", { eventId });
  expect(retried.data).toMatchObject({ status: "success", ticker: "LOST" });
  const tooLate = await mcp.call("cancel_launch", { eventId });
  expect(tooLate.code).toBe("not_cancellable");
  expect(tooLate.text).toContain("Its status is success.");
  expect(await other.client.waitForLaunch(theirs.eventId)).toMatchObject({ status: "success" });
});

test("a launch that waits for the wallet's signature is signed by retry_launch, within the limits", async () => {
  await using paying = await startTestServer({ LAUNCH_PAYER: "agent" });
  let isAway = true;
  const away = (route: string) => (request: Request) =>
    isAway ? refuseWith("not_cancellable") : fetch(paying.url + route, request);
  const routes = new Proxy<Record<string, Handler>>(
    {},
    {
      get: (_, route: string) =>
        /\/(transaction|cancel)$/.test(route) ? away(route.replace(/^\w+ /, "")) : undefined,
    },
  );
  await using api = serveApi(routes, paying.url);
  using wallet = agent(api.url);
  await wallet.client.dev.airdrop({ sol: 1 });
  await using mcp = await wallet.mcp("--pay", "--max-launch-cost-sol", "0.1");
  const left = await mcp.call("launch_token", { name: "Unsigned", ticker: "UNSIGNED" });
  expect(left).toMatchObject({ isError: true, text: expect.stringContaining("get_launch with") });
  const { launches } = (await mcp.call("list_launches")).data;
  const eventId: string = launches[0].eventId;
  const waiting = await mcp.call("get_launch", { eventId: "UNSIGNED", waitSeconds: 0 });
  expect(waiting.text).toContain(`retry_launch with ${eventId} signs it`);
  isAway = false;
  expect((await mcp.call("retry_launch", { eventId })).data).toMatchObject({ status: "success" });
});
