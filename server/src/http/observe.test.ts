import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { errorsPlugin } from "./errors.ts";
import { type AnsweredRequest, RequestWatch, requestsPlugin } from "./requests.ts";

test.each([
  ["succeeds", () => "done"],
  [
    "fails",
    () => {
      throw new Error("boom");
    },
  ],
])("the duration of a request that %s is the time that it took", async (_, end) => {
  const seen: AnsweredRequest[] = [];
  const watch = new RequestWatch([(request) => seen.push(request)]);
  const work = Promise.withResolvers<number>();
  const release = Promise.withResolvers<void>();
  const app = new Elysia()
    .use(requestsPlugin(watch, { corsOrigins: [], hosts: null }))
    .use(errorsPlugin(watch))
    .get("/", async () => {
      work.resolve(performance.now());
      await release.promise;
      return end();
    });
  const sent = performance.now();
  const answer = app.handle(new Request("http://localhost/"));
  const began = await work.promise;
  const waited = performance.now();
  release.resolve();
  await answer;
  const outside = performance.now() - sent;
  expect(seen).toHaveLength(1);
  const duration = seen[0]?.duration ?? Number.NaN;
  expect(duration).toBeGreaterThanOrEqual(waited - began);
  expect(duration).toBeLessThanOrEqual(outside);
});
