import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { nextTurn } from "../../base/clock.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { UNBOUNDED_IMAGES } from "../testing/rows.ts";

const MIB = 1024 ** 2;
const IMAGE = { address: null, mediaType: "image/png", small: null, medium: null } as const;

test("a long log is copied into the database's file, and closing leaves none behind", async () => {
  using temp = tempStore();
  const times = { now: 0, expiresAt: 1 };
  for (const hash of ["1", "2", "3", "4", "5"]) {
    const image = { ...IMAGE, ...times, hash, wallet: "wallet", bytes: new Uint8Array(MIB) };
    await temp.store.images.put(image, UNBOUNDED_IMAGES);
  }
  while (statSync(temp.path).size < 4 * MIB) await nextTurn();
  await temp.store.close();
  expect(existsSync(`${temp.path}-wal`)).toBe(false);
});
