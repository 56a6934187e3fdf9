/**
 * The process of `decoder.ts`: answers each message once. It ends with its server, or if an image
 * takes too much CPU time, because nothing else stops a native decoder.
 */
import { ServiceError } from "../../base/service-error.ts";
import { type Decoded, type ImageWork, TOO_LONG } from "./decoder.ts";
import { sanitizeImage } from "./sanitize.ts";

const CHECK_EVERY_MS = 20;

/** The last argument: the most CPU time for an image, in milliseconds. */
const cpuMs = Number(process.argv.at(-1));

async function decode(work: ImageWork): Promise<Decoded> {
  try {
    if (work instanceof Uint8Array) return { image: await sanitizeImage(work) };
    // Loads the library and its font with the first card.
    const { draw } = await import("./card.ts");
    return { image: await draw(work) };
  } catch (fault) {
    if (fault instanceof ServiceError) return { refusal: fault.message };
    throw fault;
  }
}

process.on("disconnect", () => process.exit());
process.on("message", async (work: ImageWork) => {
  const start = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(start);
    if (user + system > cpuMs * 1_000) process.exit(TOO_LONG);
  }, CHECK_EVERY_MS);
  process.send?.(await decode(work));
  clearInterval(watch);
});
