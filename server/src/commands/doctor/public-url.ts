import type { Config } from "../../config/config.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";
import { meet } from "./meet.ts";

const SUBJECT = "PUBLIC_URL";
/** What a proxy says while the server behind it does not run, or is not known to it yet. */
const NOT_THERE_YET = new Set([404, 502, 503, 504]);

/** Whether others can reach what tokens' metadata will point at for ever. */
export async function* checkPublicUrl({
  publicUrl,
  chain,
}: Pick<Config, "publicUrl" | "chain">): AsyncGenerator<Finding> {
  if (chain.chain === "local") {
    yield ok(SUBJECT, publicUrl);
    return;
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (/^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname)) {
    yield failure(
      SUBJECT,
      `${publicUrl} is this machine alone, and tokens' metadata would point there for ever: set it to where others reach this server`,
    );
    return;
  }
  if (protocol !== "https:") {
    yield warning(SUBJECT, `${publicUrl} is not https: wallets may not show the metadata`);
  }
  yield reached(publicUrl, await meet(publicUrl));
}

/** What it means who answered at the public URL. */
export function reached(publicUrl: string, met: Awaited<ReturnType<typeof meet>>): Finding {
  if (met.kind === "tokend") return ok(SUBJECT, `a tokend answers at ${publicUrl}`);
  if (met.kind === "nobody") {
    return warning(
      SUBJECT,
      `nobody answers at ${publicUrl} yet (${met.reason}): start the server and look again`,
    );
  }
  if (met.kind === "redirect") {
    return warning(
      SUBJECT,
      `${publicUrl} leads elsewhere (${met.to}), where wallets may not follow: set it to where the server answers itself`,
    );
  }
  if (NOT_THERE_YET.has(met.status)) {
    return warning(
      SUBJECT,
      `a proxy answers at ${publicUrl} with ${met.status}: start the server behind it and look again`,
    );
  }
  return failure(
    SUBJECT,
    `something else than tokend answers at ${publicUrl} (HTTP ${met.status}), and tokens' metadata would point there for ever: set it to where others reach this server`,
  );
}
