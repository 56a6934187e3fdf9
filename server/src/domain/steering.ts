import type { Pausable, SteeringSettings } from "@tokenctl/shared/operator-report";

export interface Steering extends SteeringSettings {
  readonly version: number;
}

export const UNSTEERED: Steering = { version: 0, pauses: {}, logLevel: null, dbcConfig: null };

/** Null ends a pause or resets a setting; a missing field changes nothing. */
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
