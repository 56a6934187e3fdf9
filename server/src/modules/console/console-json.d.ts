/** What the console's build makes; it need not be there yet. */
declare module "*/console.json" {
  const built: {
    readonly script: string;
    readonly style: string;
    readonly files: Readonly<Record<string, string>>;
  };
  export default built;
}
