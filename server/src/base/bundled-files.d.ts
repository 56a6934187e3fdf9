// Imported with `type: "file"`: where they are.
declare module "*.woff2" {
  const path: string;
  export default path;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}

/** A compiled binary has no migrations folder. */
declare module "*.sql" {
  const text: string;
  export default text;
}

/** What the console's build makes; it need not be there yet. */
declare module "*/console.json" {
  const built: {
    readonly script: string;
    readonly style: string;
    readonly files: Readonly<Record<string, string>>;
  };
  export default built;
}
