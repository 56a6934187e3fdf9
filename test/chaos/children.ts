import { readdirSync, readFileSync } from "node:fs";

/** Waits until a process has ended, which one without a parent may stay listed after; Linux only. */
export async function untilGone(pid: number): Promise<void> {
  const status = () => {
    try {
      return readFileSync(`/proc/${pid}/status`, "utf8");
    } catch {
      return null;
    }
  };
  for (let now = status(); now !== null && !/^State:\s+Z/m.test(now); now = status()) {
    await Bun.sleep(5);
  }
}

/** @returns the ids of a process's own processes; Linux only */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}
