import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "@tokenctl/shared/types";
import {
  eventId,
  fault,
  mintAddress,
  ok,
  paidClaim,
  refusal,
  thrown,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import { InvalidResponseError } from "./errors.ts";

const scripted = useScriptedServer();
const { client } = scripted;

const streamPath = "/api/v1/events/stream";
const data = { eventId, ticker: "WIF", tokenMint: null, tokenMints: [], transactionHash: null };
const event = (id: number, type = "launch.failed") => ({
  id,
  type,
  timestamp: "2026-01-01T00:00:00.000Z",
  data,
});
const open = (after: number) => `id: ${after}\nevent: stream.open\ndata: {"after":${after}}\n\n`;
const sent = (...ids: number[]) =>
  ids
    .map((id) => `id: ${id}\nevent: launch.failed\ndata: ${JSON.stringify(event(id))}\n\n`)
    .join("");
const end = (reason: string) => `event: stream.end\ndata: {"reason":"${reason}"}\n\n`;

/** Reads `count` events. @returns their ids */
async function take(count: number, events: AsyncIterable<AgentEvent>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of events) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

const cursors = () => scripted.server.to(streamPath).map(({ path }) => path.split("?")[1] ?? "");

describe("events", () => {
  test("go on behind the last one, however a stream ends, and none comes twice", async () => {
    const hasSix = Promise.withResolvers<void>();
    scripted.server.script(
      streamPath,
      { stream: open(4) + sent(5, 6), last: hasSix.promise },
      { stream: `:\n\n${open(6)}${sent(6, 7)}${end("server_stopping")}`, last: "end" },
      "hang up",
      fault(503, "Down"),
      refusal("too_many_streams"),
      { stream: open(7) + end("token_expired"), last: "end" },
      { stream: open(7) + sent(8), last: "stay" },
    );
    const seen: number[] = [];
    for await (const { id } of client({ maxRetries: 0 }).events({ after: 4 })) {
      seen.push(id);
      if (id === 6) hasSix.resolve();
      if (id === 8) break;
    }
    expect(seen).toEqual([5, 6, 7, 8]);
    expect(cursors()).toEqual(["after=4", "after=6", ...Array(5).fill("after=7")]);
  });

  test("from the latest on begin again at the cursor that the server named", async () => {
    scripted.server.script(
      streamPath,
      { stream: open(9), last: "end" },
      { stream: open(9) + sent(10), last: "stay" },
    );
    expect(await take(1, client().events({ after: "latest" }))).toEqual([10]);
    expect(cursors()).toEqual(["after=latest", "after=9"]);
  });

  test("sign in again when the token is refused", async () => {
    scripted.server.script(streamPath, refusal("invalid_token"), {
      stream: open(0) + sent(1),
      last: "stay",
    });
    expect(await take(1, client().events())).toEqual([1]);
    expect(scripted.server.to("/api/auth/verify")).toHaveLength(2);
  });

  test("end with the error of a first connection, and with whatever is final later", async () => {
    scripted.server.script(streamPath, fault(503, "Down"));
    const c = client({ maxRetries: 1 });
    expect(await thrown(take(1, c.events()))).toMatchObject({ status: 503 });
    expect(scripted.server.to(streamPath)).toHaveLength(2);
    const gone = { status: 410, json: { error: "x", code: "events_gone", oldestAfter: 3 } };
    scripted.server.script(streamPath, { stream: open(0), last: "end" }, gone);
    const error = await thrown(take(1, c.events()));
    expect(error).toMatchObject({ code: "events_gone", oldestAfter: 3 });
    scripted.server.script(streamPath, refusal("not_found"));
    expect((await thrown(take(1, c.events()))).code).toBe("not_found");
  });

  test.each([
    ["another body", "id: 1\nevent: x\ndata: {}\n\n"],
    ["no JSON", "id: 1\nevent: x\ndata: x\n\n"],
    ["no end", `data: ${"x".repeat(100_000)}`],
  ])("with %s are refused", async (_, text) => {
    scripted.server.script(streamPath, { stream: open(0) + text, last: "stay" });
    expect(await thrown(take(1, client().events()))).toMatchObject({
      name: "InvalidResponseError",
      status: 200,
    });
  });

  test("of a server that answers with something else are refused", async () => {
    scripted.server.script(streamPath, ok({}));
    expect((await thrown(take(1, client().events()))).code).toBe("invalid_response");
  });

  test("of a type that this version does not know are handed on", async () => {
    const newer = event(1, "token.renamed");
    scripted.server.script(streamPath, {
      stream: `${open(0)}id: 1\nevent: token.renamed\ndata: ${JSON.stringify(newer)}\n\n`,
      last: "stay",
    });
    for await (const { type } of client().events()) {
      expect(type as string).toBe("token.renamed");
      break;
    }
  });

  test("end when aborted, while connected and before", async () => {
    scripted.server.script(streamPath, { stream: open(0) + sent(1), last: "stay" });
    const abort = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { id } of client().events({ signal: abort.signal })) {
        seen.push(id);
        queueMicrotask(() => abort.abort("enough"));
      }
    })();
    expect(await thrown(reading)).toMatchObject({ name: "AbortError", cause: "enough" });
    expect(seen).toEqual([1]);
    const again = take(1, client().events({ signal: abort.signal }));
    expect((await thrown(again)).code).toBe("aborted");
  });
});

test("eventList asks once, and gives the server the time that it may wait", async () => {
  scripted.server.script("/api/v1/events", ok({ events: [event(3)], nextAfter: 3 }));
  const list = await client().eventList({ after: 2, waitSeconds: 55, limit: 10 });
  expect(list).toMatchObject({ events: [{ id: 3 }], nextAfter: 3 });
  expect(scripted.server.seen.at(-1)?.path).toBe("/api/v1/events?after=2&wait=55&limit=10");
});

test("a threshold is set, read and deleted", async () => {
  const path = "/api/v1/events/threshold";
  const answer = { claimableSOL: 0.5 };
  scripted.server.script(path, refusal("database_unavailable"), ok(answer));
  const c = client();
  expect(await c.setFeeThreshold({ claimableSOL: 0.5 })).toEqual(answer);
  expect(await c.deleteFeeThreshold()).toEqual(answer);
  expect(await c.feeThreshold()).toEqual(answer);
  const sent = scripted.server.seen.filter((request) => request.path.startsWith(path));
  expect(sent.map(({ method, path: to, body }) => [method, to, body])).toEqual([
    ["PUT", path, { claimableSOL: 0.5 }],
    // The first answer was a 503.
    ["PUT", path, { claimableSOL: 0.5 }],
    ["DELETE", path, undefined],
    ["GET", path, undefined],
  ] as never);
});

const PATH = "/api/v1/tokens/claims/history";
/** More lamports than a double holds exactly. */
const HUGE = "12345678901234567891";

async function lamports(claims: AsyncIterable<{ claimedLamports: string }>): Promise<string[]> {
  const read: string[] = [];
  for await (const { claimedLamports } of claims) read.push(claimedLamports);
  return read;
}

test("the history is read from page after page, to the lamport", async () => {
  scripted.server.script(
    PATH,
    ok({ claims: [paidClaim("3"), paidClaim(HUGE)], nextCursor: "next" }),
    ok({ claims: [paidClaim("1")] }),
  );
  const read = await lamports(scripted.client().claimHistory({ token: mintAddress }));
  expect(read).toEqual(["3", HUGE, "1"]);
  const query = `limit=500&token=${mintAddress}`;
  expect(scripted.server.to(PATH).map(({ path }) => path)).toEqual([
    `${PATH}?${query}`,
    `${PATH}?limit=500&cursor=next&token=${mintAddress}`,
  ]);
});

test("a history whose cursors alternate is refused", async () => {
  const { server, client } = scripted;
  const page = (nextCursor: string) => ok({ claims: [paidClaim("1")], nextCursor });
  server.script(PATH, ...Array.from({ length: 9 }, (_, n) => page(n % 2 ? "odd" : "even")));
  const error = await thrown(lamports(client().claimHistory()));
  expect(error).toBeInstanceOf(InvalidResponseError);
  expect(server.to(PATH)).toHaveLength(3);
});

test.each([
  ["the same cursor each time", { claims: [paidClaim("1")], nextCursor: "same" }],
  ["empty pages", { claims: [], nextCursor: "next" }],
  ["lamports that are no number", { claims: [{ ...paidClaim("1"), claimedLamports: "0x1" }] }],
  ["lamports without an end", { claims: [paidClaim("9".repeat(40))] }],
])("a server that answers %s is refused", async (_, answer) => {
  scripted.server.script(PATH, ok(answer));
  const error = await thrown(lamports(scripted.client().claimHistory()));
  expect(error).toBeInstanceOf(InvalidResponseError);
});
