export interface PackageLicense {
  readonly name: string;
  readonly version: string;
  /** As the package's manifest names it, for example `MIT`. */
  readonly license: string;
  readonly text: string;
}

/** The build replaces this module (`scripts/licenses.ts`); programs that run from sources contain no packages. */
export const licenses: readonly PackageLicense[] = [];
