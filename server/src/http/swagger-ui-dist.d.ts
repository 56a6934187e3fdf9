/** Files of the viewer, imported with `type: "file"`: where they are. */
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export default path;
}

declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const path: string;
  export default path;
}
