import { expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { GroupCommit } from "./group-commit.ts";

test("writes of one turn are one commit, in order, each with its own outcome", async () => {
  const batches: string[][] = [];
  const group = new GroupCommit(async (batch: readonly string[]) => {
    batches.push([...batch]);
    return batch.map((item) => item.toUpperCase());
  }, 9);
  expect(await Promise.all(["a", "b", "c"].map((item) => group.add(item)))).toEqual([
    "A",
    "B",
    "C",
  ]);
  expect(await group.add("d")).toBe("D");
  expect(batches).toEqual([["a", "b", "c"], ["d"]]);
});

test("a commit is none of the request's whose write comes first", async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const group = new GroupCommit(async (batch: readonly string[]) => {
    seen.push(request.getStore());
    return batch;
  }, 1);
  await Promise.all(["a", "b"].map((item) => request.run(item, () => group.add(item))));
  expect(seen).toEqual([undefined, undefined]);
});

test("a commit whose work is done at once is over before the next turn", async () => {
  let turns = 0;
  const commits: number[] = [];
  const group = new GroupCommit(async (batch: readonly string[]) => {
    commits.push(turns);
    return batch;
  }, 9);
  for (; turns < 3; turns++) {
    void group.add("one");
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(commits).toEqual([0, 1, 2]);
});

test("writes that keep arriving join a commit for four turns, and no longer", async () => {
  const batches: number[] = [];
  const group = new GroupCommit(async (batch: readonly string[]) => {
    batches.push(batch.length);
    return batch;
  }, 9);
  const added = [group.add("first")];
  for (let turn = 0; turn < 8; turn++) {
    added.push(group.add("one"));
    await nextTurn();
  }
  await Promise.all(added);
  // The first write, and one from each turn.
  expect(batches[0]).toBe(1 + 4);
});

function slow(maxBatch = 9) {
  const commits: { batch: readonly string[]; end: () => void; fail: () => void }[] = [];
  const group = new GroupCommit((batch: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    commits.push({
      batch,
      end: () => resolve(batch),
      fail: () => reject(new Error("connection lost")),
    });
    return promise;
  }, maxBatch);
  return {
    group,
    batches: () => commits.map(({ batch }) => batch.join("")),
    commit: (index: number) => {
      const commit = commits[index];
      if (!commit) throw new Error(`there are ${commits.length} commits`);
      return commit;
    },
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Waits for more turns than a commit waits for writes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await nextTurn();
}

test("what arrives while a slow commit is under way forms the next one", async () => {
  const { group, batches, commit } = slow();
  const first = group.add("a");
  await nextTurn();
  const rest = ["b", "c", "d"].map(async (item) => {
    const outcome = group.add(item);
    await nextTurn();
    return outcome;
  });
  await turns();
  expect(batches()).toEqual(["a"]);
  commit(0).end();
  expect(await first).toBe("a");
  await nextTurn();
  expect(batches()).toEqual(["a", "bcd"]);
  commit(1).end();
  expect(await Promise.all(rest)).toEqual(["b", "c", "d"]);
});

test("no commit takes more writes than allowed, and one that fails fails its own alone", async () => {
  const { group, batches, commit } = slow(3);
  const outcomes = Promise.allSettled([..."abcde"].map((item) => group.add(item)));
  await turns();
  commit(0).fail();
  await turns();
  expect(batches()).toEqual(["abc", "de"]);
  commit(1).end();
  expect((await outcomes).map(({ status }) => status[0]).join("")).toBe("rrrff");
});
