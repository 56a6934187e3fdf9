// Imports with `type: "file"` return the file's path.
declare module "*.woff2" {
  const path: string;
  export default path;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}

/** Bundled as text, because a compiled binary has no migrations folder. */
declare module "*.sql" {
  const text: string;
  export default text;
}

/** The output of the console's build, which may not exist yet. */
declare module "*/console.json" {
  const built: {
    readonly script: string;
    readonly style: string;
    readonly files: Readonly<Record<string, string>>;
  };
  export default built;
}
