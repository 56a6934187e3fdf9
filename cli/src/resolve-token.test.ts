import { expect, test } from "bun:test";
import { runAgainst } from "./testing/api.ts";
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
  const shown = await runAgainst(routes, ["token", name, "--json"]);
  expect(JSON.parse(shown.stdout)).toEqual(token);
  const graduated = await runAgainst(routes, ["dev", "graduate", name, "--json"]);
  expect(JSON.parse(JSON.parse(graduated.stdout).signature)).toEqual({ tokenMint: MINT });
});

test.each([["token"], ["claim"], ["dev graduate"]])(
  "%s exits with 4 if the wallet has no token with that ticker",
  async (command) => {
    const args = [...command.split(" "), "NONE"];
    const { stderr, exitCode, requests } = await runAgainst(routes, args);
    expect(exitCode).toBe(4);
    expect(stderr).toStartWith("error: This wallet has no token with the ticker NONE\nhint: ");
    expect(requests).toEqual(["GET /api/v1/tokens/"]);
  },
);
