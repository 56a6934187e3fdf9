export interface PackageLicense {
  readonly name: string;
  readonly version: string;
  /** As in the package's manifest, for example `MIT`. */
  readonly license: string;
  readonly text: string;
}

/** The build replaces this module (`scripts/licenses.ts`); it is empty if run from source. */
export const licenses: readonly PackageLicense[] = [];
