/** What the console's build makes; it need not be there yet. */
declare module "*/console.json" {
  const page: { readonly html: string; readonly policy: string };
  export default page;
}
