import { expect, test } from "bun:test";
import { errorTexts } from "@tokenctl/shared/errors";
import { lease } from "../../testing/launches.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { LaunchService } from "./service.ts";

const FULL = {
  kind: "unavailable",
  message: errorTexts.queueFull,
  retryAfterSeconds: 30,
};

const request = (ticker: string) => ({ name: `${ticker} token`, ticker });

test("a full queue refuses launches, and nothing of them is stored", async () => {
  using temp = tempStore();
  const service = new LaunchService(temp.store.launches, temp.clock, () => {}, 2);
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
  // Its ticker is as free as it was.
  const roomy = new LaunchService(temp.store.launches, temp.clock, () => {}, 3);
  expect(await roomy.register("other", request("CC"), null)).toMatchObject({ success: true });
});

test("a full queue refuses retries too", async () => {
  using temp = tempStore();
  const { launches } = temp.store;
  const service = new LaunchService(launches, temp.clock, () => {}, 1);
  const { eventId } = await service.register("agent", request("AA"), null);
  lease(temp, "lease");
  launches.fail(eventId, "lease", "refused", temp.clock.now());
  await service.register("other", request("BB"), null);
  expect(() => service.retry("agent", eventId)).toThrow(errorTexts.queueFull);
  expect(service.status("agent", eventId).status).toBe("failed");
});
