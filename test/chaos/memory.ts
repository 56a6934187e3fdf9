import { readFileSync } from "node:fs";

/** @returns bytes that a process holds now (`VmRSS`), or held at most (`VmHWM`); Linux only */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1_024;
}
