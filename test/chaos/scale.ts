/** `bun run chaos` runs the experiments at full length; `bun run check` a short form of each. */
export const isLong = process.env.CHAOS === "long";

/** @returns the first number in `bun run check`, the second in `bun run chaos` */
export function scale(short: number, long: number): number {
  return isLong ? long : short;
}

/** Prints the figures of an experiment, which docs/reliability.md collects. */
export function figures(experiment: string, of: object): void {
  console.log(`${experiment}: ${JSON.stringify(of)}`);
}
