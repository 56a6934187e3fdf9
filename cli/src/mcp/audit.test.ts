import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { tempDir } from "../testing/cli.ts";
import { AuditedTransport, AuditLog } from "./audit.ts";

const call = (id: number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: `launch_token${" ".repeat(5_000)}`, arguments: { text: "x".repeat(5_000) } },
});

/** Connects two ends, and collects the messages that each receives. */
async function connect(path: string) {
  const [client, inner] = InMemoryTransport.createLinkedPair();
  const transport = new AuditedTransport(inner, new AuditLog(path));
  const served: JSONRPCMessage[] = [];
  const answered: JSONRPCMessage[] = [];
  transport.onmessage = (message) => served.push(message);
  client.onmessage = (message) => answered.push(message);
  await transport.start();
  await client.start();
  return { client, served, answered };
}

test("a call that cannot be written down reaches no tool, and other messages do", async () => {
  const { client, served, answered } = await connect("/dev/full");
  await client.send(call(1));
  await client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect(served).toMatchObject([{ method: "ping" }]);
  expect(answered).toMatchObject([
    { id: 1, error: { message: "The audit log cannot be written" } },
  ]);
});

test("calls that are cancelled or lose their client have an outcome, and long arguments are cut", async () => {
  using folder = tempDir();
  const path = join(folder.path, "log/audit.jsonl");
  const { client } = await connect(path);
  await client.send(call(1));
  await client.send(call(2));
  const params = { requestId: 1 };
  await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  await client.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.map(({ call: number, outcome }) => [number, outcome])).toEqual([
    [1, undefined],
    [2, undefined],
    [1, "cancelled"],
    [2, "disconnected"],
  ]);
  expect(entries[0].arguments).toHaveLength(4_097);
  expect(entries[0].tool).toHaveLength(200);
});
