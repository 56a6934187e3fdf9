import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { Lease } from "./lease.ts";

const turns = async (count = 10) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

function scripted() {
  const clock = new ManualClock();
  const renewed: number[] = [];
  let answer: () => Promise<unknown> = () => Promise.resolve();
  return {
    clock,
    renewed,
    answerBy(next: () => Promise<unknown>) {
      answer = next;
    },
    renewal: {
      clock,
      renew: () => {
        renewed.push(clock.now());
        return answer();
      },
      onError: () => {},
    },
    async pass(milliseconds: number) {
      clock.advance(milliseconds);
      await turns();
    },
  };
}

test("a lease is renewed each third of its time until the work ends", async () => {
  const { clock, renewed, renewal, pass } = scripted();
  const work = Promise.withResolvers<string>();
  const done = new Lease(3_000).during(() => work.promise, renewal);
  await pass(999);
  expect(renewed).toHaveLength(0);
  await pass(1);
  await pass(1_000);
  expect(renewed).toHaveLength(2);
  work.resolve("result");
  expect(await done).toBe("result");
  expect(clock.waits).toEqual([]);
});

test("the end of the work waits for the renewal under way, whether the work throws or not", async () => {
  const { clock, renewal, pass, answerBy } = scripted();
  const answer = Promise.withResolvers<void>();
  answerBy(() => answer.promise);
  const work = Promise.withResolvers<void>();
  let isOver = false;
  const done = new Lease(3_000)
    .during(() => work.promise, renewal)
    .finally(() => {
      isOver = true;
    });
  done.catch(() => {});
  await pass(1_000);
  work.reject(new Error("refused"));
  await turns();
  expect(isOver).toBe(false);
  answer.resolve();
  await expect(done).rejects.toThrow("refused");
  expect(clock.waits).toEqual([]);
});

test("the end of the work waits at most a second for a renewal that hangs", async () => {
  const { renewal, pass, answerBy } = scripted();
  answerBy(() => new Promise(() => {}));
  const work = Promise.withResolvers<string>();
  const done = new Lease(3_000).during(() => work.promise, renewal);
  await pass(1_000);
  work.resolve("result");
  await pass(0);
  await pass(1_000);
  expect(await done).toBe("result");
});
