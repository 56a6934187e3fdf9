/** The thread of `checkpointer.ts`: told a database's path it begins, told anything else it ends. */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";

declare const self: Worker;

/** Between two looks, each a `stat`; a checkpoint follows where there was a commit. */
const INTERVAL_MS = 150;
/** Pages of the log; a checkpoint that copies fewer has caught up with the commits. */
const FEW_PAGES = 200;
const MAX_PASSES = 8;

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  const db = new Database(path, { readwrite: true });
  // Passive: it waits for nobody, and nobody for it.
  const checkpoint = db.prepare<{ checkpointed: number }, []>("pragma wal_checkpoint(passive)");
  let changedAt = 0;
  let copiedPages = 0;
  let said = "";

  /** Goes on while commits add much meanwhile: the log begins anew only where nothing is left. */
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
      changedAt = mtimeMs;
      said = "";
    } catch (error) {
      const problem = String(error);
      if (problem !== said) self.postMessage(problem);
      said = problem;
    }
  }, INTERVAL_MS);

  self.onmessage = () => {
    clearInterval(timer);
    checkpoint.finalize();
    db.close(true);
    self.postMessage(null);
  };
};
