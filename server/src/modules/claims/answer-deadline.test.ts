import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { ANSWER_DEADLINE_MS, beforeAnswerDeadline } from "./answer-deadline.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("a outcome that is found out in time is the answer, good or bad", async () => {
  expect(await beforeAnswerDeadline(Promise.resolve("paid"))).toBe("paid");
  const refused = new Error("refused");
  await expect(beforeAnswerDeadline(Promise.reject(refused))).rejects.toBe(refused);
  expect(jest.getTimerCount()).toBe(0);
});

test("a outcome that is not found out in time is said to be unsettled, and how to hear of it", async () => {
  const answer = beforeAnswerDeadline(new Promise(() => {})).catch((error: unknown) => error);
  jest.advanceTimersByTime(ANSWER_DEADLINE_MS);
  expect(await answer).toMatchObject({
    kind: "unavailable",
    wireCode: "claim_unsettled",
    message: "The claim's outcome is not known yet",
    advice: expect.stringContaining("request a new one"),
    retryAfterSeconds: 5,
  });
});
