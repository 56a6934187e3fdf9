import type { Fact, FactName } from "@tokenctl/shared/types";

export function fact(name: FactName, isGood: boolean, text: string): Fact {
  return { name, status: isGood ? "pass" : "fail", text };
}

export function info(name: FactName, text: string): Fact {
  return { name, status: "info", text };
}

/** @returns for example `12.34 %` */
export function percent(part: bigint, whole: bigint): string {
  return `${hundredths(part, whole) / 100} %`;
}

/** @returns hundredths of a percent, rounded: what is below half of one is dust */
export function hundredths(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 20_000n + whole) / (2n * whole));
}
