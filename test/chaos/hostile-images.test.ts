import { afterAll, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { Agent } from "../support/agent.ts";
import { GIF, pngChunk, pngImage } from "../support/images.ts";
import { MEASURED, startTokend, TOKEND, tempDir } from "../support/processes.ts";
import { childrenOf, untilGone } from "./children.ts";
import { memoryOf } from "./memory.ts";

/** What all uploads of this file together may add to the server's memory. */
const MAX_GROWTH = 200 * 1024 ** 2;

const folder = tempDir();
const server = await startTokend(TOKEND, folder.path, {
  ...MEASURED,
  MAX_IMAGES_PER_AGENT: "0",
});
const agent = await Agent.signedIn(server);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function upload(image: Uint8Array, by = agent) {
  const answer = await by.upload(image, { "content-type": "image/png" });
  const { error, code } = (await answer.json()) as { error?: string; code?: string };
  return { status: answer.status, error, code };
}

const SIDE = 4096;
const PNG = pngImage(16, 16);
const JPEG = Buffer.from(await new Bun.Image(PNG).jpeg().bytes());
const WEBP = Buffer.from(await new Bun.Image(PNG).webp().bytes());
const ZIP = Buffer.from("PK\x03\x04 a file behind the image");
const text = (content: string) => Buffer.from(content);
const join = (...parts: Buffer[]) => Buffer.concat(parts);

/** A PNG whose head claims other dimensions than it has. */
function claiming(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  return join(PNG.subarray(0, 8), pngChunk("IHDR", head), PNG.subarray(33));
}

function scans(count: number): Buffer {
  const scan = JPEG.indexOf(Buffer.from([0xff, 0xda]));
  const repeated = Array.from({ length: count }, () => JPEG.subarray(scan, -2));
  return join(JPEG.subarray(0, scan), ...repeated, JPEG.subarray(-2));
}

/**
 * A progressive JPEG of 4096 × 4096 pixels with scans of 40 bytes: each says that no block has anything
 * to add, and a decoder visits them all. The scans after each first one hide behind a repeated 0xff,
 * which is fill before a marker, but a byte of the data before a 0.
 */
async function hiddenScans(visible: number, hidden: number): Promise<Buffer> {
  const jpeg = Buffer.from(
    await new Bun.Image(PNG).resize(SIDE, SIDE).jpeg({ progressive: true }).bytes(),
  );
  const head = jpeg.subarray(0, jpeg.indexOf(Buffer.from([0xff, 0xda])));
  // Its only code: a run of 16,384 blocks or more without coefficients.
  const runs = Buffer.from([0xff, 0xc4, 0, 20, 0x10, 1, ...Array<number>(15).fill(0), 0xe0]);
  const scan = join(Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0]), Buffer.alloc(30));
  const cover = Buffer.from([0xff, 0xff, 0, 0, 0]);
  cover.writeUInt16BE(hidden * scan.length + 2, 3);
  const block = join(scan, cover, ...Array<Buffer>(hidden).fill(scan));
  return join(head, runs, ...Array<Buffer>(visible).fill(block), Buffer.from([0xff, 0xd9]));
}

/** A JPEG with bytes between its second segment and its third. */
function between(...bytes: number[]): Buffer {
  const second = 4 + JPEG.readUInt16BE(4);
  const at = second + 2 + JPEG.readUInt16BE(second + 2);
  return join(JPEG.subarray(0, at), Buffer.from(bytes), JPEG.subarray(at));
}

const WEBP_LONGER = Buffer.from(WEBP);
WEBP_LONGER.writeUInt32LE(WEBP.length + 1_000, 4);

/** Its texts grow a thousandfold if they are decoded: `count` times `size` bytes. */
function textBomb(count: number, size: number): Buffer {
  const zeros = deflateSync(Buffer.alloc(size));
  const chunk = (_: unknown, n: number) => pngChunk("zTXt", join(text(`Text ${n}\0\0`), zeros));
  return pngImage(16, 16, Array.from({ length: count }, chunk));
}

const cut = "is damaged, cut off, or followed by other bytes";
const unknown = "is not a PNG, JPEG, WebP or GIF file by its content";

const HOSTILE: readonly [name: string, image: Buffer, why: string][] = [
  ["0 bytes", Buffer.alloc(0), unknown],
  ["an SVG", text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), unknown],
  ["an SVG behind a declaration", text('<?xml version="1.0"?>\n<!-- x --><svg></svg>'), unknown],
  ["a page", text("<!doctype html><script>alert(1)</script>"), unknown],
  ["a ZIP", ZIP, unknown],
  ["an AVIF", join(Buffer.from([0, 0, 0, 32]), text("ftypavif"), Buffer.alloc(50)), unknown],
  ["noise", Buffer.from(crypto.getRandomValues(new Uint8Array(1_000))).fill(1, 0, 1), unknown],
  ["a PNG and a ZIP", join(PNG, ZIP), cut],
  ["a JPEG and a ZIP", join(JPEG, ZIP), cut],
  ["a WebP and a page", join(WEBP, text("<script>alert(1)</script>")), cut],
  ["a GIF and a script", join(GIF, text("/*=1;alert(1)")), cut],
  ["a script that begins like a GIF", text("GIF89a/*aaaaaaaaaaaa*/=1;alert(1)"), cut],
  ["a WebP that claims to be longer", WEBP_LONGER, cut],
  ["a PNG whose chunk claims 4 GB", Buffer.from(PNG).fill(0xff, 33, 37), cut],
  ["a PNG with damaged pixels", Buffer.from(PNG).fill(0, 41, 60), "cannot be decoded"],
  ["a PNG of 60,000 × 60,000", claiming(60_000, 60_000), "has 60000 × 60000 pixels"],
  ["a PNG of 2³¹ − 1 pixels in a row", claiming(2 ** 31 - 1, 1), "has 2147483647 × 1 pixels"],
  ["a PNG of 0 × 16", claiming(0, 16), "cannot be decoded"],
  ["a PNG that claims more pixels than it has", claiming(SIDE, SIDE), "cannot be decoded"],
  ["a JPEG of 2,000 scans", scans(2_000), "scans"],
  ["a JPEG of 4,000 scans behind stuffed bytes", await hiddenScans(4, 1_000), "scans"],
  ["a JPEG in a JPEG", between(0xff, 0xd8), cut],
  ["a JPEG with a restart outside of its scans", between(0xff, 0xd0), cut],
  ["a JPEG with a reserved marker", between(0xff, 0x02, 0, 2), cut],
  ["a JPEG with a segment of no length", between(0xff, 0xe0, 0, 0), cut],
  ["a JPEG with a byte between its segments", between(0), cut],
];

test.each(HOSTILE)("%s is refused, saying why", async (_, image, why) => {
  const { status, error, code } = await upload(image);
  expect({ status, code, error }).toEqual({
    status: 400,
    code: "image_refused",
    error: expect.stringContaining(why),
  });
});

test("images of many pixels, many at a time, take a bounded amount of memory", async () => {
  // Starts the decoder.
  await upload(PNG);
  const [idle = 0] = childrenOf(server.pid);
  const before = memoryOf(server.pid, "VmRSS") + memoryOf(idle, "VmRSS");
  // 50 MB of pixels each, and 64 MB once decoded.
  const rows = deflateSync(Buffer.alloc((1 + 3 * SIDE) * SIDE));
  const head = claiming(SIDE, SIDE).subarray(0, 33);
  const largest = (count: number) =>
    join(
      head,
      pngChunk("tEXt", text(`Number\0${count}`)),
      pngChunk("IDAT", rows),
      PNG.subarray(-12),
    );
  const agents = await Promise.all(Array.from({ length: 3 }, () => Agent.signedIn(server)));
  const bomb = textBomb(1_800, 1024 ** 2);
  const images = [largest(1), largest(2), bomb];
  const answers = await Promise.all(
    agents.flatMap((by) => images.map((image) => upload(image, by))),
  );
  expect(answers.map(({ status }) => status)).toEqual(agents.flatMap(() => [200, 200, 200]));
  const [decoder = 0, ...others] = childrenOf(server.pid);
  expect(others).toEqual([]);
  const peaks = memoryOf(server.pid, "VmHWM") + memoryOf(decoder, "VmHWM");
  expect(peaks - before).toBeLessThan(MAX_GROWTH);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

test("the decoder's process ends with a server that is killed", async () => {
  using ownFolder = tempDir();
  await using killed = await startTokend(TOKEND, ownFolder.path);
  await upload(PNG, await Agent.signedIn(killed));
  const [decoder = 0] = childrenOf(killed.pid);
  await killed.end("SIGKILL");
  await untilGone(decoder);
});
