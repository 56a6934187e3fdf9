import { expect, test } from "bun:test";
import { GroupCommit } from "./group-commit.ts";

test("writes of one turn are one commit, in order, each with its own outcome", async () => {
  const batches: string[][] = [];
  const group = new GroupCommit((batch: readonly string[]) => {
    batches.push([...batch]);
    return batch.map((item) => item.toUpperCase());
  });
  expect(await Promise.all(["a", "b", "c"].map((item) => group.add(item)))).toEqual([
    "A",
    "B",
    "C",
  ]);
  expect(await group.add("d")).toBe("D");
  expect(batches).toEqual([["a", "b", "c"], ["d"]]);
});

test("a write is committed after the turn, and answered after the commit", async () => {
  const events: string[] = [];
  const group = new GroupCommit((batch: readonly string[]) => {
    events.push("committed");
    return batch;
  });
  const answered = group.add("a").then(() => events.push("answered"));
  await Promise.resolve();
  expect(events).toEqual([]);
  await answered;
  expect(events).toEqual(["committed", "answered"]);
});

test("a write that is added during a commit goes into the next one", async () => {
  const batches: number[] = [];
  let later: Promise<string> | undefined;
  const group = new GroupCommit((batch: readonly string[]) => {
    batches.push(batch.length);
    later ??= group.add("later");
    return batch;
  });
  await group.add("first");
  expect(await later).toBe("later");
  expect(batches).toEqual([1, 1]);
});

test("a failed commit rejects its whole batch, and not the next one", async () => {
  let isFull = true;
  const group = new GroupCommit((batch: readonly string[]) => {
    if (isFull) throw new Error("disk full");
    return batch;
  });
  const outcomes = await Promise.allSettled([group.add("a"), group.add("b")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isFull = false;
  expect(await group.add("c")).toBe("c");
});
