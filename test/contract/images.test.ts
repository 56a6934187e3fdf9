import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { UploadedImageSchema } from "@tokenctl/shared/contract/service";
import type { UploadedImage } from "@tokenctl/shared/types";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

const server = await startTestServer({ TRUST_PROXY: "true" });
const agent = await Agent.signedIn(server);
afterAll(() => server[Symbol.asyncDispose]());

async function post(body: Uint8Array<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${agent.token}` };
  const answer = await fetch(`${server.url}/api/v1/images`, { method: "POST", headers, body });
  return { status: answer.status, body: await answer.json() };
}

async function upload(image: Uint8Array<ArrayBuffer>): Promise<UploadedImage> {
  const { status, body } = await post(image);
  expect([status, body]).toEqual([200, expect.anything()]);
  return expectShape(UploadedImageSchema, body);
}

async function read(url: string) {
  const answer = await fetch(url);
  const { status, headers } = answer;
  return { status, headers, bytes: await answer.bytes() };
}

const png = (side: number) => new Uint8Array(pngImage(side, side));

describe("POST /api/v1/images", () => {
  test("stores an image by the hash of its bytes, and anyone can always read it", async () => {
    const { url } = await upload(png(7));
    const { status, headers, bytes } = await read(url);
    expect(status).toBe(200);
    const hash = createHash("sha256").update(bytes).digest("hex");
    expect(url).toBe(`${server.url}/images/${hash}.png`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      etag: `"${hash}"`,
    });
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "image/png"]);
    const known = await fetch(url, { headers: { "if-none-match": `"${hash}"` } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  test("keeps smaller pictures, as pages show them, of what is larger", async () => {
    const { url } = await upload(new Uint8Array(pngImage(300, 120)));
    const hash = url.split("/").at(-1)?.replace(".png", "");
    const sized = async (size: string) => {
      const { status, headers, bytes } = await read(`${url}?size=${size}`);
      const { width, height } = await new Bun.Image(bytes).metadata();
      return [status, headers.get("content-type"), headers.get("etag"), width, height];
    };
    expect(await sized("96")).toEqual([200, "image/webp", `"${hash}-96"`, 240, 96]);
    expect(await sized("256")).toEqual([200, "image/png", `"${hash}"`, 300, 120]);
    expect((await read(`${url}?size=97`)).status).toBe(400);
  });

  test("needs a bearer token, before anything is received", async () => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const answer = await fetch(`${server.url}/api/v1/images`, { method: "POST", body });
    expect(answer.status).toBe(401);
  });
});

/** Uploads the first half of 2 MiB. @returns the connection, and how its answer begins */
function uploadHalf(by: Agent, address: string) {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const { promise: head, resolve } = Promise.withResolvers<string>();
  socket.on("data", (data) => {
    resolve(data.toString().slice(0, "HTTP/1.1 408".length));
    socket.destroy();
  });
  socket.on("error", () => {});
  socket.on("close", () => resolve(""));
  const lines = [
    ...["POST /api/v1/images HTTP/1.1", "Host: localhost", `Authorization: Bearer ${by.token}`],
    ...[`X-Forwarded-For: ${address}`, "Content-Length: 2097152", "", ""],
  ];
  socket.write(lines.join("\r\n"));
  socket.write(Buffer.alloc(1024 ** 2));
  return { socket, head };
}

test("bodies that trickle do not stop other uploads, take 8 MiB of an address, and are cut off", async () => {
  const attackers = await Promise.all(Array.from({ length: 8 }, () => Agent.signedIn(server)));
  const halves = [...attackers, ...attackers, ...attackers, ...attackers].map((by) =>
    uploadHalf(by, "203.0.113.7"),
  );
  let open = halves.length;
  const heads = Promise.all(halves.map(({ head }) => head.finally(() => open--)));
  while (open > 0) {
    const from = { "x-forwarded-for": "198.51.100.9" };
    expect((await agent.upload(png(30), from)).status).toBe(200);
    for (const { socket } of halves) if (socket.writable) socket.write(Buffer.alloc(500));
    // All but those that have a place are refused by then.
    if (open <= 8) server.clock.advance(2_000);
  }
  const late = (await heads).filter((head) => head === "HTTP/1.1 408");
  expect(late.length).toBeGreaterThan(0);
});

describe("an image of the service", () => {
  test("stays once it is the image of a token, and expires without a launch", async () => {
    // Images have an address of their own, and that of the service leads to them, too.
    await using own = await startTestServer({ METADATA_BASE_URL: "https://metadata.example" });
    const maker = await Agent.signedIn(own);
    const { secretKey } = maker.keypair;
    const client = new TokenctlClient({ apiUrl: own.url, signer: keypairSigner(secretKey) });
    const used = await client.uploadImage(png(21));
    const unused = await client.uploadImage(new Blob([png(22)]));
    expect(used.url).toStartWith("https://metadata.example/images/");
    const missing = `${own.url}/images/${"0".repeat(64)}.png`;
    expect(await maker.launch({ ticker: "MISSING", imageUrl: missing })).toMatchObject({
      status: 400,
    });
    const { tokenMint } = await maker.launched("IMAGE", { imageUrl: used.url });
    const document = await fetch(`${own.url}/metadata/${tokenMint}.json`);
    expect(await document.json()).toMatchObject({
      image: used.url,
      properties: { files: [{ uri: used.url, type: "image/png" }] },
    });
    expect(await client.publicToken(tokenMint ?? "")).toMatchObject({ creator: maker.wallet });
    own.clock.advance(DAY_MS);
    // The start deletes what has expired.
    await own.restart();
    const statusOf = async ({ url }: UploadedImage) =>
      (await fetch(own.url + new URL(url).pathname)).status;
    while ((await statusOf(unused)) === 200) await Bun.sleep(5);
    expect([await statusOf(used), await statusOf(unused)]).toEqual([200, 404]);
  });

  test("is refused in a launch if it is not there", async () => {
    for (const file of [`${"0".repeat(64)}.png`, "nothing", `${"0".repeat(64)}/../x`]) {
      const imageUrl = `${server.url}/images/${file}`;
      const { status, body } = await agent.launch({ ticker: "NOIMAGE", imageUrl });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        details: [
          { field: "imageUrl", message: "names an image that is not here; upload it again" },
        ],
      });
    }
  });
});
