import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { limits } from "@tokenctl/shared/limits";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { type ServerProcess, startTokend, TOKEND, tempFolder } from "../support/processes.ts";

const folder = tempFolder();
let server: ServerProcess;
beforeAll(async () => {
  server = await startTokend(TOKEND, folder.path, {
    TRUST_PROXY: "true",
    MAX_IMAGES_MB: "100",
    MAX_IMAGES_PER_AGENT: "1",
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const agents = (count: number) =>
  Promise.all(Array.from({ length: count }, () => Agent.signedIn(server)));

async function upload(image: Uint8Array, by: Agent, address: string) {
  const answer = await fetch(`${server.url}/api/v1/images`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.token}`, "x-forwarded-for": address },
    body: new Uint8Array(image),
  });
  const { code, size = 0 } = (await answer.json()) as { code?: string; size?: number };
  return { status: answer.status, code, size };
}

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
    expect(await upload(pngImage(1 + n, 7), honest as Agent, "198.51.100.9")).toMatchObject({
      status: 200,
    });
  }
  clearInterval(dripping);
  expect(new Set(await Promise.all(cutOff))).toEqual(new Set(["HTTP/1.1 408 Request Timeout"]));
});

test("an address gets no more room for images than its share, and leaves that of others", async () => {
  const wallets = await agents(12);
  const outcomes = [];
  for (const [index, by] of wallets.entries()) {
    outcomes.push(await upload(await noise(index), by, "192.0.2.1"));
  }
  const refused = outcomes.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["share_used"]));
  // A hundredth of the space is less than what one agent may hold.
  const bytes = outcomes.reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(limits.image.bytes);
  const [honest] = await agents(1);
  expect(await upload(await noise(99), honest as Agent, "198.51.100.9")).toMatchObject({
    status: 200,
  });
});

/** An image of about 400 KiB, however it is encoded. */
function noise(seed: number): Promise<Uint8Array> {
  const pixels = Buffer.alloc((1 + 3 * 640) * 640);
  let state = seed + 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    pixels[at] = at % (1 + 3 * 640) === 0 ? 0 : state >> 16;
  }
  return new Bun.Image(pngImage(640, 640, [], pixels)).jpeg({ quality: 95 }).bytes();
}
