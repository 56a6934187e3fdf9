import { expect, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ANSWER_DEADLINE_MS, beforeAnswerDeadline } from "./answer-deadline.ts";

const clock = new ManualClock();

test("an outcome before the deadline is returned, good or bad", async () => {
  expect(await beforeAnswerDeadline(Promise.resolve("paid"), clock)).toBe("paid");
  const refused = new Error("refused");
  await expect(beforeAnswerDeadline(Promise.reject(refused), clock)).rejects.toBe(refused);
  expect(clock.waits).toEqual([]);
});

test("at the deadline the answer says that the outcome is unknown and how to read it later", async () => {
  const answer = beforeAnswerDeadline(new Promise(() => {}), clock).catch(
    (error: unknown) => error,
  );
  clock.advance(ANSWER_DEADLINE_MS);
  expect(await answer).toMatchObject({
    wireCode: "claim_unsettled",
    message: "The claim's outcome is not known yet",
    advice: expect.stringContaining("request a new one"),
    retryAfterSeconds: 5,
  });
});
