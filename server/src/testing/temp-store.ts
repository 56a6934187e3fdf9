import { join } from "node:path";
import type { OnEvents } from "../store/events.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { ManualClock } from "./manual-clock.ts";
import { tempDir } from "./temp-dir.ts";

export interface TempStore extends Disposable {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly path: string;
}

export function tempStore(clock = new ManualClock(), onEvents?: OnEvents): TempStore {
  const directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const store = openSqliteStore(path, { clock, ...(onEvents && { onEvents }) });
  return {
    store,
    clock,
    path,
    [Symbol.dispose]: () => {
      // Nothing writes any more: it closes before the next line.
      void store.close();
      directory[Symbol.dispose]();
    },
  };
}
