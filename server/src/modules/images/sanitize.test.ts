import { describe, expect, test } from "bun:test";
import { limits } from "@tokenctl/shared/limits";
import fc from "fast-check";
import { GIF, pngImage } from "../../../../test/support/images.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { formatOf } from "./container.ts";
import { sanitizeImage } from "./sanitize.ts";

const PNG = pngImage(40, 30);
const encode = () => new Bun.Image(PNG);
const IMAGES = {
  png: PNG,
  "png of a palette": await encode().png({ palette: true, colors: 16 }).bytes(),
  jpeg: await encode().jpeg().bytes(),
  "progressive jpeg": await encode().jpeg({ progressive: true }).bytes(),
  webp: await encode().webp().bytes(),
  "lossless webp": await encode().webp({ lossless: true }).bytes(),
  gif: GIF,
};

function noise(side: number): Buffer {
  const pixels = Buffer.alloc((1 + 3 * side) * side);
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    // The first byte of a row is its filter.
    pixels[at] = at % (1 + 3 * side) === 0 ? 0 : state >> 16;
  }
  return pngImage(side, side, [], pixels);
}

describe.each(Object.entries(IMAGES))("a %s", (_, image) => {
  test("becomes an image of this server, the same each time", async () => {
    const clean = await sanitizeImage(image);
    expect(await sanitizeImage(image)).toEqual(clean);
    const { width, height } = await new Bun.Image(image).metadata();
    expect(await new Bun.Image(clean.bytes).metadata()).toMatchObject({ width, height });
    expect(formatOf(clean.bytes)).toBe(clean.mediaType.slice("image/".length) as "png");
  });

  test("that is cut off anywhere is refused", async () => {
    for (let length = image.length - 1; length > 0; length -= 7) {
      const cut = image.subarray(0, length);
      expect(await serviceErrorFrom(() => sanitizeImage(cut))).toMatchObject({
        wireCode: "image_refused",
      });
    }
  });

  test("with any bytes changed is stored or refused, and nothing else happens", async () => {
    const changes = fc.array(fc.tuple(fc.nat(image.length - 1), fc.nat(255)), { maxLength: 8 });
    const property = fc.asyncProperty(changes, async (changed) => {
      const damaged = Buffer.from(image);
      for (const [at, byte] of changed) damaged[at] = byte;
      const outcome = await sanitizeImage(damaged).catch((fault: { wireCode?: string }) => fault);
      expect("wireCode" in outcome ? outcome.wireCode : "image_refused").toBe("image_refused");
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

test("an image that takes more room when it is encoded again still fits", async () => {
  // As a PNG 1,024 of its pixels a side take 3 MB.
  const palette = await new Bun.Image(noise(1_100)).png({ palette: true, colors: 64 }).bytes();
  const clean = await sanitizeImage(palette);
  expect(clean.mediaType).toBe("image/webp");
  expect((await new Bun.Image(clean.bytes).metadata()).width).toBe(1_024);
  expect(clean.bytes.length).toBeLessThan(limits.image.bytes);
});
