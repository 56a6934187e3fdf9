import { expect, test } from "bun:test";
import { GroupCommit } from "./group-commit.ts";

test("what arrives in one turn is one commit, in order, each with its own outcome", async () => {
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

test("nothing is written before the turn is over, nobody answered before it is", async () => {
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

test("what is added while a commit runs goes into the next", async () => {
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

test("a commit that fails fails all of its batch, and none of the next", async () => {
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
