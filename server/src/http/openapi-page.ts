import { Elysia } from "elysia";
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewer from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { type ListedRoute, openapiDocument } from "./openapi-document.ts";
import { ServedFile } from "./served-file.ts";

/** The page loads and calls nothing but this server. Its viewer sets inline styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** @param files where the page's files are, seen from its own address: a proxy may put a path before it */
const pageOf = (files: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Token launch service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}viewer.css">
</head>
<body>
<div id="viewer"></div>
<script src="${files}viewer.js"></script>
<script src="${files}start.js"></script>
</body>
</html>
`;

/**
 * The page offers the server that it comes from, whatever the document names. Without `validatorUrl` the
 * viewer would send the document's URL to a public service.
 */
const START = `const files = new URL(".", document.currentScript.src);
const documentUrl = new URL("json", files).href;
SwaggerUIBundle({
  url: documentUrl,
  dom_id: "#viewer",
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url !== documentUrl || !response.ok) return response;
    const url = new URL("..", files).href.replace(/\\/$/, "");
    const servers = [{ url, description: "This server, as you have reached it" }];
    response.text = JSON.stringify({ ...JSON.parse(response.text), servers });
    return response;
  },
  deepLinking: true,
  docExpansion: "list",
});
`;

const FILES = {
  "viewer.js": new ServedFile(Bun.file(viewer), "text/javascript; charset=utf-8"),
  "viewer.css": new ServedFile(Bun.file(styles), "text/css; charset=utf-8"),
  "start.js": new ServedFile(START, "text/javascript; charset=utf-8"),
};

export function openapiPlugin(
  routes: () => readonly ListedRoute[],
  publicUrl: () => string,
  version: string,
) {
  let document: string | undefined;
  const plugin = new Elysia({ prefix: "/openapi" })
    .onBeforeHandle(({ set }) => {
      set.headers["content-security-policy"] = PAGE_POLICY;
    })
    .get("", ({ request }) => {
      const page = pageOf(new URL(request.url).pathname.endsWith("/") ? "" : "openapi/");
      return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    })
    .get("/json", () => {
      document ??= JSON.stringify(openapiDocument(routes(), publicUrl(), version));
      return new Response(document, { headers: { "content-type": "application/json" } });
    });
  for (const [name, file] of Object.entries(FILES)) {
    plugin.get(`/${name}`, ({ request, set }) => {
      set.headers["cache-control"] = "public, max-age=3600";
      return file.answer(request, set.headers);
    });
  }
  return plugin;
}
