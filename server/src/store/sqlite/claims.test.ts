import { expect, test } from "bun:test";
import { insertToken } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";

test("the lease of an earlier process on a claim ends at the start of the next", async () => {
  using temp = tempStore();
  const { claims } = temp.store;
  const { wallet, tokenMint } = await insertToken(temp, "ONE");
  const times = { lastValidBlockHeight: 150, preparedAt: 1_000, expiresAt: 61_000 };
  await claims.prepare({ wallet, tokenMint, messageHash: "hash", ...times });
  const { id = 0 } = (await claims.find(wallet, "hash")) ?? {};
  await claims.submit(
    id,
    { id: "lease", ms: 60_000 },
    { signature: "signature", transaction: Uint8Array.of(1) },
  );
  expect(await claims.unsettled()).toEqual([]);
  await claims.recover();
  expect(await claims.unsettled()).toMatchObject([{ id, signature: "signature" }]);
});
