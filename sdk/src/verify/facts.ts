import { type FactTerms, TOKEN_FACTS } from "@tokenctl/shared/token-facts";
import type { Fact, FactName, FactVerdict } from "@tokenctl/shared/types";
import type { FetchLike } from "../internal/http.ts";

/** The most that each fact may cost, if not its usual limit. */
export type FactLimits = Readonly<Partial<Record<FactName, number>>>;

const RULES: Readonly<Record<string, FactTerms>> = TOKEN_FACTS;

/** A fact before it is compared with its limit. */
export interface Finding {
  readonly name: FactName;
  readonly verdict: FactVerdict;
  readonly text: string;
  /** The cost, in the unit that the table of facts gives. */
  readonly amount?: number;
}

export const safe = (name: FactName, text: string): Finding => ({ name, verdict: "safe", text });
export const wrong = (name: FactName, text: string): Finding => ({ name, verdict: "wrong", text });

export function unknown(name: FactName, what: string): Finding {
  return { name, verdict: "unknown", text: `unknown: ${what}` };
}

export function costs(name: FactName, amount: number, text: string): Finding {
  return { name, verdict: amount === 0 ? "safe" : "costs", text, amount };
}

export function judged({ name, verdict, text, amount = 0 }: Finding, limits: FactLimits): Fact {
  const rule = RULES[name];
  if (verdict !== "costs" || !rule?.cost) {
    const passes = verdict === "safe" || (verdict === "unknown" && rule?.mayBeUnknown === true);
    return { name, verdict, passes, text, cost: null };
  }
  const atMost = limits[name] ?? rule.cost.atMost;
  const cost = { amount, of: rule.cost.of, atMost };
  return { name, verdict, passes: amount <= atMost, text, cost };
}

/** Returns for example `12.34 %`. */
export function percent(part: bigint, whole: bigint): string {
  return `${percentage(part, whole)} %`;
}

/** Returns for example 12.34; it rounds parts below 0.005 to 0, because they are dust. */
export function percentage(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 20_000n + whole) / (2n * whole)) / 100;
}

/** The node to read, and what to expect. */
export interface VerifyOptions {
  /** A Solana node. */
  rpcUrl: string;
  /** The wallet that is expected as creator. */
  creator?: string | undefined;
  /** The config that is expected. With it, no search for the pool is needed. */
  config?: string | undefined;
  /** The token's pool, for a node that cannot search accounts. */
  pool?: string | undefined;
  /** The most that a fact may cost, if not the usual limit, for example `{ curve_fees: 20 }`. */
  atMost?: FactLimits | undefined;
  /** Whether to read a metadata document, or a redirect, from a URL. Default: from any https. */
  mayRead?: ((documentUrl: string) => boolean) | undefined;
  /** Milliseconds for the whole verification. Default: 60 000. */
  timeoutMs?: number | undefined;
  /** Default: the runtime's own. */
  fetch?: FetchLike | undefined;
  signal?: AbortSignal | undefined;
}
