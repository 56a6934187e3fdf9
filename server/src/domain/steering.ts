export const PAUSABLE = ["launches", "claims", "sign-ins"] as const;
export type Pausable = (typeof PAUSABLE)[number];

/** What the operator sets while the service runs. All servers of the database apply it. */
export interface SteeringSettings {
  /** Why something is paused, for agents to read. A missing entry is not paused. */
  readonly pauses: Readonly<Partial<Record<Pausable, string>>>;
}

/** @param stored the settings as JSON; null if there are none yet */
export const arePaused = (what: string, stored: string | null) =>
  stored !== null && what in (JSON.parse(stored) as SteeringSettings).pauses;

export interface Steering extends SteeringSettings {
  readonly version: number;
}

export const UNSTEERED: Steering = { version: 0, pauses: {} };

/** Null ends a pause; a missing entry changes nothing. */
export interface SteeringPatch {
  readonly pauses: Readonly<Partial<Record<Pausable, string | null>>>;
}

export function patched({ pauses }: SteeringSettings, patch: SteeringPatch): SteeringSettings {
  const all = Object.entries({ ...pauses, ...patch.pauses });
  return { pauses: Object.fromEntries(all.filter(([, reason]) => reason !== null)) };
}
