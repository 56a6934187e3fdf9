import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { serveApi } from "../testing/api.ts";
import { spawnPiped, temporaryWallet } from "../testing/cli.ts";
import { PROTOCOLS } from "./testing/mcp-client.ts";

const wallet = temporaryWallet();
afterAll(() => wallet[Symbol.dispose]());

const list = { jsonrpc: "2.0", method: "tools/list" };
const call = { jsonrpc: "2.0", method: "tools/call" };
const NO_VERSION = 'Not a message of MCP: jsonrpc must be "2.0"';
const NO_REQUEST = "Not a message of MCP: it is not a JSON-RPC request, notification or answer";
const NO_BATCHES = "Not a message of MCP: this version of the protocol has no batches";
const SERVED = null;

/** A line, the ids of its answers, and the error in each answer, if any. */
type Row = readonly [line: unknown, ids: readonly (string | number)[], error?: string | null];

const rows = (params: object, batches: string | null): readonly Row[] => [
  [{ ...list, id: 1, params }, [1], SERVED],
  [`\ufeff${JSON.stringify({ ...list, id: 2, params })}`, [2], SERVED],
  [`${JSON.stringify({ ...list, id: "3", params })}\r`, ["3"], SERVED],
  [{ ...call, id: 4, params: { name: "get_token", arguments: null, ...params } }, [4], SERVED],
  [{ id: 5, method: "tools/list", params }, [5], NO_VERSION],
  [{ ...list, jsonrpc: "1.0", id: 6, params }, [6], NO_VERSION],
  [{ jsonrpc: "2.0", id: 7 }, [7], NO_REQUEST],
  [{ ...list, id: 8, params: [] }, [8], NO_REQUEST],
  [[9, 10].map((id) => ({ ...list, id, params })), [9, 10], batches],
  // These have no id for an answer, so the client waits for none.
  ["not JSON", []],
  ["[]", []],
  ["", []],
  [{ ...list, id: null, params }, []],
  [{ jsonrpc: "2.0", id: 11, result: 1 }, []],
  [{ ...list, id: 12, params }, [12], SERVED],
];

test.each(PROTOCOLS)(
  "no frame with a readable id is left unanswered by protocol %s",
  async (protocol) => {
    const isNew = protocol === "2026-07-28";
    const client = { name: "test", version: "1" };
    const params = {
      _meta: {
        [PROTOCOL_VERSION_META_KEY]: protocol,
        [CLIENT_INFO_META_KEY]: client,
        [CLIENT_CAPABILITIES_META_KEY]: {},
      },
    };
    const begin = { protocolVersion: protocol, capabilities: {}, clientInfo: client };
    const opening: Row[] = isNew
      ? []
      : [
          [{ jsonrpc: "2.0", id: "begin", method: "initialize", params: begin }, ["begin"], SERVED],
          [{ jsonrpc: "2.0", method: "notifications/initialized", params: null }, []],
          [{ ...list, id: "null", params: null }, ["null"], SERVED],
        ];
    const batches = protocol === "2025-03-26" ? SERVED : NO_BATCHES;
    const args = ["mcp", "--api-url", "http://127.0.0.1:1", "-k", wallet.keypair];
    const child = spawnPiped(args, { XDG_STATE_HOME: wallet.path });
    const lines = createInterface({ input: Readable.fromWeb(child.stdout) })[
      Symbol.asyncIterator
    ]();
    const errors = new Response(child.stderr).text();
    for (const [line, ids, error] of [...opening, ...rows(isNew ? params : {}, batches)]) {
      child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
      await child.stdin.flush();
      const answers = [];
      for (const _ of ids) answers.push(JSON.parse((await lines.next()).value ?? ""));
      expect(answers.map(({ id }) => id).sort()).toEqual([...ids].sort());
      for (const answer of answers) expect(answer.error?.message ?? SERVED).toBe(error);
    }
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    for (const line of (await errors).trimEnd().split("\n")) {
      expect(line).toMatch(/^warning: Not a message of MCP: [^{}]+$/);
    }
  },
);

test("a call that is open when the client goes away has its outcome in the audit log", async () => {
  const asked = Promise.withResolvers<void>();
  const health = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  await using api = serveApi({ "GET /health": health });
  const log = join(wallet.path, "open-call.jsonl");
  const args = ["mcp", "--api-url", api.url, "-k", wallet.keypair, "--audit-log", log];
  const child = spawnPiped(args, { XDG_STATE_HOME: wallet.path });
  const begin = {
    protocolVersion: PROTOCOLS[1],
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: begin })}\n`,
  );
  child.stdin.write(`${JSON.stringify({ ...call, id: 2, params: { name: "get_health" } })}\n`);
  await child.stdin.flush();
  await asked.promise;
  await child.stdin.end();
  expect(await child.exited).toBe(0);
  expect(await Bun.file(log).text()).toContain('"call":1,"outcome":"failed","code":"aborted"');
});
