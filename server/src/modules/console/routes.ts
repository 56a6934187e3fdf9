import { createHash } from "node:crypto";
import { Elysia, NotFoundError } from "elysia";
import { addItem } from "../../http/list-header.ts";

/** The page that people see, as its build made it. */
export interface ConsolePage {
  readonly html: string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

/** The page as it is sent. */
interface Served {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves the console at `/` to browsers. Programs that do not ask for HTML get the 404 of an unknown path.
 *
 * @param load reads the page; called at the first request for it
 */
export function consoleRoutes(load: () => Promise<ConsolePage>) {
  let served: Promise<Served> | null = null;
  return new Elysia().get(
    "/",
    async ({ request, set }) => {
      if (!wantsHtml(request)) throw new NotFoundError();
      served ??= load().then(prepare);
      const { plain, gzipped, headers } = await served.catch((error) => {
        served = null;
        throw error;
      });
      Object.assign(set.headers, headers);
      addItem(set.headers, "vary", "accept, accept-encoding");
      if (request.headers.get("if-none-match") === headers.etag) {
        return new Response(null, { status: 304 });
      }
      const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
      if (takesGzip) set.headers["content-encoding"] = "gzip";
      return new Response(takesGzip ? gzipped : plain);
    },
    { detail: { hide: true } },
  );
}

const wantsHtml = (request: Request) => request.headers.get("accept")?.includes("text/html");

function prepare({ html, policy }: ConsolePage): Served {
  const plain = new TextEncoder().encode(html);
  return {
    plain,
    gzipped: Bun.gzipSync(plain, { level: 9 }),
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      // The browser asks each time whether there is a new one, and is answered 304.
      "cache-control": "no-cache",
      etag: `"${createHash("sha256").update(plain).digest("base64url")}"`,
    },
  };
}
