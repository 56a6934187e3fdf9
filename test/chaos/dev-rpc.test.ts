import { expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

/** The account with the binary of the SPL Token program, 100 KB. */
const TOKEN_BINARY = "3gvYRKWyXRR9xKWe1ZjPhLY5ZJRN7KDB4rFZFGoJfFk2";
const MIB = 1_024 * 1_024;

test("a request of 43 KB to /dev/rpc is answered with 16 MiB at most, and the API keeps answering", async () => {
  await using server = await startTestServer();
  const addresses = Array.from({ length: 100 }, () => TOKEN_BINARY);
  const params = [addresses, { encoding: "base64" }];
  const batch = Array.from({ length: 9 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "getMultipleAccounts",
    params,
  }));
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(batch);
  expect(body.length).toBeLessThan(44_000);
  const attack = async () => {
    const answer = await fetch(`${server.url}/dev/rpc`, { method: "POST", headers, body });
    return (await answer.arrayBuffer()).byteLength;
  };
  const health = async () => (await fetch(`${server.url}/health`)).status;
  const [status, ...sizes] = await Promise.all([health(), attack(), attack(), attack()]);
  expect(status).toBe(200);
  expect(Math.max(...sizes)).toBeLessThan(17 * MIB);
  expect(await health()).toBe(200);
});

test("what /dev/rpc does not read is refused with a code, as everywhere", async () => {
  await using server = await startTestServer();
  const refusalOf = async (type: string, body: string) => {
    const headers = { "content-type": type };
    const answer = await fetch(`${server.url}/dev/rpc`, { method: "POST", headers, body });
    return [answer.status, expectShape(ErrorBodySchema, await answer.json()).code];
  };
  expect(await refusalOf("text/plain", "{}")).toEqual([415, "unsupported_media_type"]);
  // The embedded chain itself takes less than the API.
  for (const size of [60_000, 70_000]) {
    const body = `"${"x".repeat(size)}"`;
    expect(await refusalOf("application/json", body)).toEqual([413, "body_too_large"]);
  }
});
