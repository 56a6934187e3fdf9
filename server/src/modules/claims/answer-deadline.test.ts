import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { ANSWER_DEADLINE_MS, beforeAnswerDeadline } from "./answer-deadline.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("an outcome before the deadline is returned, good or bad", async () => {
  expect(await beforeAnswerDeadline(Promise.resolve("paid"))).toBe("paid");
  const refused = new Error("refused");
  await expect(beforeAnswerDeadline(Promise.reject(refused))).rejects.toBe(refused);
  expect(jest.getTimerCount()).toBe(0);
});

test("at the deadline the answer says that the outcome is unknown and how to read it later", async () => {
  const answer = beforeAnswerDeadline(new Promise(() => {})).catch((error: unknown) => error);
  jest.advanceTimersByTime(ANSWER_DEADLINE_MS);
  expect(await answer).toMatchObject({
    wireCode: "claim_unsettled",
    message: "The claim's outcome is not known yet",
    advice: expect.stringContaining("request a new one"),
    retryAfterSeconds: 5,
  });
});
