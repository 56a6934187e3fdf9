import type { ConsolePage } from "./routes.ts";

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
