import { Elysia, NotFoundError } from "elysia";
import { addItem } from "../../http/headers.ts";
import { ServedFile } from "../../http/served-file.ts";

/** The page that people see, as its build made it. */
export interface ConsolePage {
  readonly html: string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

/**
 * Serves the console at `/` to browsers. Programs that do not ask for HTML get the 404 of an unknown path.
 *
 * @param load reads the page; called at the first request for it
 */
export function consoleRoutes(load: () => Promise<ConsolePage>) {
  let page: Promise<{ readonly file: ServedFile; readonly policy: string }> | null = null;
  return new Elysia().get(
    "/",
    async ({ request, set }) => {
      if (!request.headers.get("accept")?.includes("text/html")) throw new NotFoundError();
      page ??= load().then(({ html, policy }) => {
        return { file: new ServedFile(html, "text/html; charset=utf-8"), policy };
      });
      const { file, policy } = await page;
      Object.assign(set.headers, {
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        // The browser asks each time whether there is a new one, and is answered 304.
        "cache-control": "no-cache",
      });
      addItem(set.headers, "vary", "Accept");
      return await file.answer(request, set.headers);
    },
    { detail: { hide: true } },
  );
}

/** What browsers see if the server runs from sources that were not built. */
const NOT_BUILT: ConsolePage = {
  html: "<!doctype html><html lang=en><title>tokend</title><p>The console is not built: run <code>bun run build</code>.",
  policy: "default-src 'none'; frame-ancestors 'none'",
};

/** Reads the console, which is inside the binary; from the sources it is there after a build. */
export async function loadConsole(): Promise<ConsolePage> {
  try {
    return (await import("../../../../console/dist/console.json")).default;
  } catch {
    return NOT_BUILT;
  }
}
