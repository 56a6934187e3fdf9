import { afterEach, expect, test } from "bun:test";
import { pngImage } from "../../../../test/support/images.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { ImageDecoder } from "./decoder.ts";
import type { CleanImage } from "./sanitize.ts";

const SMALL = pngImage(16, 16);
const LARGE = pngImage(4096, 4096);

let decoder = new ImageDecoder();
afterEach(() => {
  decoder.stop();
  decoder = new ImageDecoder();
});

const widthOf = async (image: Promise<CleanImage>) =>
  (await new Bun.Image((await image).bytes).metadata()).width;

function isRunning(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("images are cleaned one after another, by one process", async () => {
  const first = decoder.make(SMALL);
  const second = decoder.make(pngImage(3, 5));
  expect(await widthOf(first)).toBe(16);
  const { pid } = decoder;
  expect(await widthOf(second)).toBe(3);
  expect(decoder.pid).toBe(pid);
});

test("an image that takes too much CPU time is refused, and its process ends", async () => {
  decoder = new ImageDecoder(20);
  expect(await serviceErrorFrom(() => decoder.make(LARGE))).toMatchObject({
    wireCode: "image_refused",
    message: "The image takes more than 0.02 s to decode; save it again with an image editor",
  });
  expect(decoder.pid).toBeNull();
});

test("an image whose client is gone is given up, and the one after it is cleaned", async () => {
  await decoder.make(SMALL);
  const { pid } = decoder;
  const [gone, waiting] = [new AbortController(), new AbortController()];
  const inWork = serviceErrorFrom(() => decoder.make(LARGE, gone.signal));
  const inTurn = serviceErrorFrom(() => decoder.make(LARGE, waiting.signal));
  const last = decoder.make(SMALL);
  // The first image is being decoded after this.
  await Promise.resolve();
  waiting.abort();
  gone.abort();
  expect([(await inWork).wireCode, (await inTurn).wireCode]).toEqual([
    "uploads_busy",
    "uploads_busy",
  ]);
  expect(await widthOf(last)).toBe(16);
  expect(decoder.pid).not.toBe(pid);
  while (isRunning(pid)) await Bun.sleep(5);
});

test("an image that crashes its process is refused, and the next one is cleaned", async () => {
  await decoder.make(SMALL);
  const { pid } = decoder;
  const refused = serviceErrorFrom(() => decoder.make(LARGE));
  await Promise.resolve();
  process.kill(pid ?? 0, "SIGKILL");
  expect(await refused).toMatchObject({ wireCode: "image_refused" });
  expect(await widthOf(decoder.make(SMALL))).toBe(16);
});

test("the process knows nothing of the server's environment", async () => {
  await decoder.make(SMALL);
  const environment = await Bun.file(`/proc/${decoder.pid}/environ`).text();
  expect(environment.split("\0").filter((entry) => !/^NODE_CHANNEL_|^$/.test(entry))).toEqual([]);
});
