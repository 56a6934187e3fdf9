import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTokend, TOKEND, tempDir } from "../support/processes.ts";

const folder = tempDir();
const server = await startTokend(TOKEND, folder.path, {
  TRUST_PROXY: "true",
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const agents = (count: number) =>
  Promise.all(Array.from({ length: count }, () => Agent.signedIn(server)));

/** Begins to upload 2 MiB. */
function trickle(by: Agent, address: string): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write(
    [
      ...["POST /api/v1/images HTTP/1.1", "Host: localhost", `Authorization: Bearer ${by.token}`],
      ...[`X-Forwarded-For: ${address}`, "Content-Length: 2097152", "", "\x89PNG"],
    ].join("\r\n"),
  );
  return socket;
}

/** @returns the first line of the answer */
async function answerTo(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
  return promise;
}

test("bodies that trickle do not stop other uploads, and are cut off", async () => {
  const attackers = await agents(8);
  const sockets = attackers.flatMap((by) =>
    Array.from({ length: 4 }, () => trickle(by, "203.0.113.7")),
  );
  const cutOff = sockets.map(answerTo);
  const dripping = setInterval(() => {
    for (const socket of sockets) socket.write(Buffer.alloc(500));
  }, 500);
  const isOver = Promise.all(cutOff).then(() => true);
  // Uploads go on for as long as one of them is there.
  for (
    let n = 0;
    n === 0 || !(await Promise.race([isOver, Bun.sleep(200).then(() => false)]));
    n++
  ) {
    const [honest] = await agents(1);
    const from = { "x-forwarded-for": "198.51.100.9" };
    expect((await honest?.upload(pngImage(1 + n, 7), from))?.status).toBe(200);
  }
  clearInterval(dripping);
  expect(new Set(await Promise.all(cutOff))).toEqual(new Set(["HTTP/1.1 408 Request Timeout"]));
});
