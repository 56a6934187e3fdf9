import { expect, test } from "bun:test";
import { errorTexts } from "@tokenctl/shared/errors";
import { UNBOUNDED } from "../../store/launch-intake.ts";
import { lease } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { LaunchService } from "./service.ts";

const FULL = {
  wireCode: "queue_full",
  message: errorTexts.queueFull,
  retryAfterSeconds: 30,
};

const atMost = (maxPending: number) => ({ ...UNBOUNDED, maxPending });
const request = (ticker: string) => ({ name: `${ticker} token`, ticker });

test("a full queue refuses launches, and nothing of them is stored", async () => {
  using temp = tempStore();
  const service = new LaunchService(temp.store.launches, temp.clock, () => {}, atMost(2));
  const outcomes = await Promise.allSettled(
    ["AA", "BB", "CC", "DD"].map((ticker) => service.register("agent", request(ticker), null)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  expect(outcomes[2]).toMatchObject({ reason: FULL });
  expect(temp.store.launches.backlog().depth).toBe(2);
  // Its ticker is still free.
  const roomy = new LaunchService(temp.store.launches, temp.clock, () => {}, atMost(3));
  expect(await roomy.register("other", request("CC"), null)).toMatchObject({ success: true });
});

test.each(["failed", "rate_limited"] as const)(
  "a full queue refuses to retry a %s launch too",
  async (end) => {
    using temp = tempStore();
    const { launches } = temp.store;
    const service = new LaunchService(launches, temp.clock, () => {}, atMost(1));
    const { eventId } = await service.register("agent", request("AA"), null);
    lease(temp, "lease");
    if (end === "failed") launches.fail(eventId, "lease", "refused", temp.clock.now());
    else launches.limit("agent", "lease", "once a day", temp.clock.now());
    await service.register("other", request("BB"), null);
    expect(() => service.retry("agent", eventId)).toThrow(errorTexts.queueFull);
    expect(service.status("agent", eventId).status).toBe(end);
    expect(launches.backlog().depth).toBe(1);
  },
);
