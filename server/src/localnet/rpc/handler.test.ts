import { describe, expect, test } from "bun:test";
import { openTestChain, rpcRequest } from "../testing/local-chain.ts";
import { createRpcHandler } from "./handler.ts";

const handle = createRpcHandler(openTestChain().chain);

async function post(body: unknown): Promise<unknown> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await (await handle(rpcRequest(text))).text();
  return answer === "" ? "" : JSON.parse(answer);
}

const call = (method: string, rest: object = { id: 1 }) => ({ jsonrpc: "2.0", method, ...rest });

describe("JSON-RPC", () => {
  test("answers a call with its id", async () => {
    expect(await post(call("getHealth", { id: "a" }))).toEqual({
      jsonrpc: "2.0",
      result: "ok",
      id: "a",
    });
  });

  test("answers a batch call by call, without its notifications", async () => {
    const answers = await post([
      call("getHealth", { id: 1 }),
      call("getHealth", {}),
      call("nothing", { id: 2 }),
    ]);
    expect(answers).toEqual([
      { jsonrpc: "2.0", result: "ok", id: 1 },
      { jsonrpc: "2.0", error: { code: -32601, message: "Method not found" }, id: 2 },
    ]);
    for (const silent of [[], call("getHealth", {})]) expect(await post(silent)).toBe("");
  });

  test.each([
    ["a body that is not JSON", "{", -32700],
    ["another version", { method: "getHealth", id: 1 }, -32600],
    ["an unknown method", call("getNothing"), -32601],
    ["a method of every object", call("toString"), -32601],
    ["named parameters", call("getSlot", { id: 1, params: {} }), -32602],
    ["a parameter of another type", call("getSlot", { id: 1, params: ["x"] }), -32602],
  ])("refuses %s", async (_, body, code) => {
    expect(await post(body)).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });
});

describe("HTTP", () => {
  test("answers GET /health as a node does", async () => {
    const answer = await handle(new Request("http://localnet.invalid/health"));
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
  });

  test("refuses other methods, other content types and larger bodies", async () => {
    const url = "http://localnet.invalid";
    const status = async (init: RequestInit) => (await handle(new Request(url, init))).status;
    const headers = { "content-type": "application/json" };
    expect(await status({ method: "GET" })).toBe(405);
    expect(await status({ method: "POST", body: "{}" })).toBe(415);
    expect(await status({ method: "POST", headers, body: " ".repeat(51_201) })).toBe(413);
  });
});

test("reports a fault of the chain to its operator; callers get no details", async () => {
  const { chain } = openTestChain();
  const faults: unknown[] = [];
  const broken = createRpcHandler(chain, (error) => faults.push(error));
  chain.close();
  const address = chain.faucet.toBase58();
  const request = rpcRequest(
    JSON.stringify(call("getSignaturesForAddress", { id: 1, params: [address] })),
  );
  expect(await (await broken(request)).json()).toEqual({
    jsonrpc: "2.0",
    error: { code: -32603, message: "Internal error" },
    id: 1,
  });
  expect(faults).toHaveLength(1);
});
