import type { PeerPackages } from "./peer-packages.ts";

/** How much work a run does. */
export interface Scale {
  /** A short run only shows that the harness and the answers are right. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Seconds of each measurement, and of each contestant's warm-up before the first; 0 for none. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export interface RowContext {
  readonly scale: Scale;
  readonly peers: PeerPackages;
  /** Tells people how far it is. */
  readonly say: (text: string) => void;
}

/** One thing that was to be reached. */
export interface Goal {
  readonly goal: string;
  readonly reached: string;
  readonly isReached: boolean;
}

/** Figures behind a row's goals; the first column names what was measured. */
export interface Figures {
  readonly columns: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

export interface RowResult {
  readonly goals: readonly Goal[];
  readonly figures: Figures;
  /** What there is to know about the figures. */
  readonly notes: readonly string[];
}

/** A piece of work, what it must reach and how it is measured. */
export interface Row {
  /** By which `--only` selects it. */
  readonly id: string;
  readonly work: string;
  /** @returns why it cannot be measured here, or what was measured */
  run(context: RowContext): Promise<RowResult | string>;
}
