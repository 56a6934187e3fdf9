/** The thread of `checkpointer.ts`. Its first message is the database's path; a second ends it. */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";

declare const self: Worker;

/**
 * Milliseconds between two checks of the log by one `stat`; a checkpoint follows a commit. The
 * syncs of large checkpoints delay those of commits: at 12,000 launches a second, the p99 of
 * commits was 20 ms with 50, 23 ms with 80 and 58 ms with 1,000. With 50, two cores accepted a
 * tenth less.
 */
const INTERVAL_MS = 80;
/**
 * For how many milliseconds after its last change the log is copied again: a commit changes the
 * file, waits for the disk, and can only then be copied. An empty checkpoint takes 0.2 ms.
 */
const SETTLED_MS = 10_000;
/** A checkpoint that copies fewer pages than this has caught up with the commits. */
const FEW_PAGES = 200;
const MAX_PASSES = 8;

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  const db = new Database(path, { readwrite: true });
  // Passive: it neither waits for readers and writers nor blocks them.
  const checkpoint = db.prepare<{ checkpointed: number }, []>("pragma wal_checkpoint(passive)");
  let changedAt = 0;
  let copiedPages = 0;
  let lastProblem = "";

  /** Repeats while commits add many pages: SQLite restarts the log only once it is all copied. */
  function copy(): void {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const pages = checkpoint.get()?.checkpointed ?? 0;
      const more = pages < copiedPages ? pages : pages - copiedPages;
      copiedPages = pages;
      if (more < FEW_PAGES) break;
    }
  }

  const timer = setInterval(() => {
    try {
      const { mtimeMs } = statSync(`${path}-wal`);
      if (mtimeMs === changedAt) return;
      copy();
      if (Date.now() - mtimeMs > SETTLED_MS) changedAt = mtimeMs;
      lastProblem = "";
    } catch (error) {
      const problem = String(error);
      if (problem !== lastProblem) self.postMessage(problem);
      lastProblem = problem;
    }
  }, INTERVAL_MS);

  self.onmessage = () => {
    clearInterval(timer);
    checkpoint.finalize();
    db.close(true);
    self.postMessage(null);
  };
};
