import type { SpendBook } from "../wallet-guard.ts";

/** A spend book in memory. @param today names the current day; by default there is only one */
export function memorySpendBook(today: () => string = () => "today"): SpendBook {
  const spent = new Map<string, bigint>();
  const spentToday = () => spent.get(today()) ?? 0n;
  return {
    spentToday,
    record: (lamports) => {
      spent.set(today(), spentToday() + lamports);
    },
  };
}
