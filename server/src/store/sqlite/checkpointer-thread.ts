/** The thread of `checkpointer.ts`. Its first message is a path, "copy" asks for a copy, "end" ends it. */
import { Database } from "bun:sqlite";

declare const self: Worker;

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  const db = new Database(path, { readwrite: true });
  self.onmessage = ({ data: order }: MessageEvent<"copy" | "end">) => {
    try {
      // Passive: it neither waits for readers and writers nor blocks them.
      if (order === "copy") db.run("pragma wal_checkpoint(passive)");
      else db.close();
    } catch {
      // What keeps it from copying, such as a full disk, keeps commits from writing, and is reported there.
    }
    self.postMessage(order);
  };
};
