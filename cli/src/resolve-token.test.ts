import { expect, test } from "bun:test";
import { serveApi } from "./testing/api.ts";
import { run, temporaryWallet } from "./testing/cli.ts";
import { MINT, tokenRecord } from "./testing/records.ts";

const token = tokenRecord();
const moved = { success: true, signature: "s", isMigrated: true };
const routes = {
  "GET /api/v1/tokens/": () => ({ tokens: [{ ...token, ticker: "OTHER" }, token] }),
  [`GET /api/v1/tokens/${MINT}`]: () => token,
  "POST /dev/graduate": async (request: Request) =>
    Response.json({ ...moved, signature: JSON.stringify(await request.json()) }),
};

test.each([["MINE"], ["mine"], [MINT]])("a token is named by %s", async (name) => {
  await using api = serveApi(routes);
  using wallet = temporaryWallet();
  const flags = ["--api-url", api.url, "-k", wallet.keypair, "--json"];
  const shown = await run(["token", name, ...flags]);
  expect(JSON.parse(shown.stdout)).toEqual(token);
  const graduated = await run(["dev", "graduate", name, ...flags]);
  expect(JSON.parse(JSON.parse(graduated.stdout).signature)).toEqual({ tokenMint: MINT });
});

test.each([["token"], ["claim"], ["dev graduate"]])(
  "%s exits with 4 if the wallet has no token with that ticker",
  async (command) => {
    await using api = serveApi(routes);
    using wallet = temporaryWallet();
    const args = [...command.split(" "), "NONE", "--api-url", api.url, "-k", wallet.keypair];
    const { stderr, exitCode } = await run(args);
    expect(exitCode).toBe(4);
    expect(stderr).toStartWith("error: This wallet has no token with the ticker NONE\nhint: ");
    expect(api.requests).toEqual(["GET /api/v1/tokens/"]);
  },
);
