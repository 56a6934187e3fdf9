import { afterEach, expect, test } from "bun:test";
import { UNBOUNDED_IMAGES } from "../../store/testing/rows.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { ImageService } from "./service.ts";

const [WHOLE, SMALL] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4)];
const hash = "a".repeat(64);

let temp: TempStore | undefined;
afterEach(() => temp?.[Symbol.dispose]());

/** A service whose store reads whole images only when it is told to. */
async function held() {
  const clock = new ManualClock();
  temp = tempStore(clock);
  const { images } = temp.store;
  const image = { hash, wallet: "agent", address: null, mediaType: "image/png" } as const;
  const sizes = { bytes: WHOLE, small: SMALL, medium: null };
  await images.put({ ...image, ...sizes, now: 0, expiresAt: 9 }, UNBOUNDED_IMAGES);
  const reads: (() => void)[] = [];
  const find = images.find.bind(images);
  images.find = async (asked, size = "whole") => {
    if (size === "whole") await new Promise<void>((resolve) => reads.push(resolve));
    return find(asked, size);
  };
  const service = new ImageService({
    images,
    clock,
    bounds: UNBOUNDED_IMAGES,
    decoder: { make: () => Promise.reject(new Error("decodes nothing")) },
    shares: { address: 1, network: 10 },
    baseUrl: () => "http://tokens.example",
    publicUrl: () => "http://tokens.example",
  });
  return { service, reads };
}

test("whole images are read one at a time, and smaller ones beside them", async () => {
  const { service, reads } = await held();
  const whole = [1, 2, 3].map(() => service.read(hash, null, "192.0.2.1"));
  expect((await service.read(hash, 96, "192.0.2.1")).bytes).toEqual(SMALL);
  for (let done = 0; done < whole.length; done++) {
    await turns();
    expect(reads).toHaveLength(done + 1);
    reads[done]?.();
    expect((await whole[done])?.bytes).toEqual(WHOLE);
  }
});

test("an address waits for as many whole images as it may, and keeps no one else from them", async () => {
  const { service, reads } = await held();
  const asked = Array.from({ length: 200 }, () =>
    service.read(hash, null, "192.0.2.1").catch(({ wireCode }) => wireCode as string),
  );
  await turns();
  const other = service.read(hash, null, "198.51.100.1");
  let answered = false;
  void other.then(() => {
    answered = true;
  });
  while (!answered) {
    for (const read of reads.splice(0)) read();
    await turns();
  }
  const refused = (await Promise.all(asked)).filter((answer) => answer === "share_used");
  expect(refused).toHaveLength(100);
});
