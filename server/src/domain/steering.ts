/** What the operator can pause. */
export const PAUSABLE = ["launches", "claims", "sign-ins"] as const;
export type Pausable = (typeof PAUSABLE)[number];

/** What the operator sets while the service runs; all servers of the database follow it. */
export interface SteeringSettings {
  /** Why something is paused; agents read the text. What is missing is not paused. */
  readonly pauses: Readonly<Partial<Record<Pausable, string>>>;
  /** Null for the one of the environment. */
  readonly logLevel: string | null;
  /** The DBC config of the next launches; null for the one of the environment. */
  readonly dbcConfig: string | null;
}

export interface Steering extends SteeringSettings {
  /** Grows with each change; 0 before the first. */
  readonly version: number;
}

export const UNSTEERED: Steering = { version: 0, pauses: {}, logLevel: null, dbcConfig: null };

/** What is changed; null ends a pause or a setting. What is missing stays. */
export interface SteeringPatch {
  readonly pauses?: Readonly<Partial<Record<Pausable, string | null>>>;
  readonly logLevel?: string | null;
  readonly dbcConfig?: string | null;
}

export function patched(
  { pauses, logLevel, dbcConfig }: SteeringSettings,
  patch: SteeringPatch,
): SteeringSettings {
  const all = Object.entries({ ...pauses, ...patch.pauses });
  return {
    pauses: Object.fromEntries(all.filter(([, reason]) => reason !== null)),
    logLevel: patch.logLevel === undefined ? logLevel : patch.logLevel,
    dbcConfig: patch.dbcConfig === undefined ? dbcConfig : patch.dbcConfig,
  };
}
