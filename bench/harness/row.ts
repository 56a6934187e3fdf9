import type { PeerPackages } from "./peer-packages.ts";

/** How much work a run does. */
export interface Scale {
  /** A short run only checks the harness and the answers. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Seconds of each measurement, and of each contestant's warm-up before the first; 0 for none. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export interface RowContext {
  readonly scale: Scale;
  readonly peers: PeerPackages;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

/** A figure that a row must reach. */
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
  /** Explain the figures. */
  readonly notes: readonly string[];
}

/** A piece of work, its goals and how it is measured. */
export interface Row {
  /** `--only` selects the row by it. */
  readonly id: string;
  readonly work: string;
  /** @returns the figures, or why it cannot be measured here */
  run(context: RowContext): Promise<RowResult | string>;
}
