import { expect, test } from "bun:test";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import { lease } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { LaunchService } from "./service.ts";

const FULL = {
  wireCode: "queue_full",
  message: errorCodes.queue_full.text,
  retryAfterSeconds: 30,
};

const atMost = (maxPending: number) => ({ ...UNBOUNDED, maxPending });
const request = (ticker: string) => ({ name: `${ticker} token`, ticker });

test("a full queue refuses launches, and nothing of them is stored", async () => {
  using temp = tempStore();
  const service = new LaunchService(temp.store, () => {}, { limits: atMost(2) });
  const outcomes = await Promise.allSettled(
    ["AA", "BB", "CC", "DD"].map((ticker) => service.register("agent", request(ticker))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  expect(outcomes[2]).toMatchObject({ reason: FULL });
  expect((await temp.store.launches.backlog()).depth).toBe(2);
  // Its ticker is still free.
  const roomy = new LaunchService(temp.store, () => {}, { limits: atMost(3) });
  expect(await roomy.register("other", request("CC"))).toMatchObject({ success: true });
});

test.each(["failed", "rate_limited"] as const)(
  "a full queue refuses to retry a %s launch too",
  async (end) => {
    using temp = tempStore();
    const { launches } = temp.store;
    const service = new LaunchService(temp.store, () => {}, { limits: atMost(1) });
    const { eventId } = await service.register("agent", request("AA"));
    await lease(temp, "lease");
    if (end === "failed") await launches.fail(eventId, "lease", { message: "refused" });
    else await launches.limit("agent", "lease", "once a day");
    await service.register("other", request("BB"));
    await expect(service.retry("agent", eventId)).rejects.toThrow(errorCodes.queue_full.text);
    expect((await service.status("agent", eventId)).status).toBe(end);
    expect((await launches.backlog()).depth).toBe(1);
  },
);
