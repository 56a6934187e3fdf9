import type { Config } from "../../config/config.ts";
import { askHealth, type HealthAnswer } from "./ask-health.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

const THIS_MACHINE = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/;
const SUBJECT = "PUBLIC_URL";
/** What a proxy answers while the server behind it does not run or is not set up in it yet. */
const NO_SERVER_YET = new Set([404, 502, 503, 504]);

/** Checks that others can reach the address to which tokens' metadata will point for ever. */
export async function* checkPublicUrl({
  publicUrl,
  metadataBaseUrl,
  chain,
}: Pick<Config, "publicUrl" | "metadataBaseUrl" | "chain">): AsyncGenerator<Finding> {
  if (chain.chain === "local") {
    yield ok(SUBJECT, publicUrl);
    return;
  }
  if (metadataBaseUrl !== publicUrl) yield judgeMetadataUrl(metadataBaseUrl);
  const { protocol, hostname } = new URL(publicUrl);
  if (THIS_MACHINE.test(hostname)) {
    yield failure(
      SUBJECT,
      `${publicUrl} is this machine only, and tokens' metadata would point there for ever: set it to where others reach this server`,
    );
    return;
  }
  if (protocol !== "https:") {
    yield warning(SUBJECT, `${publicUrl} is not https: wallets may not show the metadata`);
  }
  yield judgeAnswer(publicUrl, await askHealth(publicUrl));
}

/** Whether documents are there cannot be asked before there is a token. */
function judgeMetadataUrl(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  const subject = "METADATA_BASE_URL";
  if (THIS_MACHINE.test(hostname)) {
    return failure(
      subject,
      `${url} is this machine only, and tokens' metadata would point there for ever`,
    );
  }
  if (protocol !== "https:") {
    return warning(subject, `${url} is not https: wallets may not show the metadata`);
  }
  return ok(subject, `tokens' metadata points to ${url}, which must have what this server has`);
}

/** @returns what it means for the public URL what answered there */
export function judgeAnswer(publicUrl: string, answer: HealthAnswer): Finding {
  if (answer.kind === "tokend") return ok(SUBJECT, `a tokend answers at ${publicUrl}`);
  if (answer.kind === "no_answer") {
    return warning(
      SUBJECT,
      `nothing answers at ${publicUrl} yet (${answer.reason}): start the server and run doctor again`,
    );
  }
  if (answer.kind === "redirect") {
    return warning(
      SUBJECT,
      `${publicUrl} leads elsewhere (${answer.to}), where wallets may not follow: set it to where the server answers itself`,
    );
  }
  if (NO_SERVER_YET.has(answer.status)) {
    return warning(
      SUBJECT,
      `a proxy answers at ${publicUrl} with ${answer.status}: start the server behind it and run doctor again`,
    );
  }
  return failure(
    SUBJECT,
    `another program than tokend answers at ${publicUrl} (HTTP ${answer.status}), and tokens' metadata would point there for ever: set it to where others reach this server`,
  );
}
