import type { Config } from "../../config/config.ts";
import { loopbackUrlProblem } from "../../config/warnings.ts";
import { askHealth, type HealthAnswer } from "./ask-health.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

const SUBJECT = "PUBLIC_URL";
/** What a proxy answers while the server behind it does not run or is not set up in it yet. */
const NO_SERVER_YET = new Set([404, 502, 503, 504]);

export async function* checkPublicUrl(
  config: Pick<Config, "publicUrl" | "metadataBaseUrl" | "chain">,
): AsyncGenerator<Finding> {
  const { publicUrl, metadataBaseUrl, chain } = config;
  if (chain.chain === "local") {
    yield ok(SUBJECT, publicUrl);
    return;
  }
  if (metadataBaseUrl !== publicUrl) yield judgeMetadataUrl(config);
  const problem = loopbackUrlProblem(SUBJECT, config);
  if (problem !== null) {
    yield failure(SUBJECT, problem);
    return;
  }
  if (new URL(publicUrl).protocol !== "https:") {
    yield warning(SUBJECT, `${publicUrl} is not https: wallets may not show the metadata`);
  }
  yield judgeAnswer(publicUrl, await askHealth(publicUrl));
}

/** Documents cannot be checked before there is a token. */
function judgeMetadataUrl(
  config: Pick<Config, "publicUrl" | "metadataBaseUrl" | "chain">,
): Finding {
  const subject = "METADATA_BASE_URL";
  const url = config.metadataBaseUrl;
  const problem = loopbackUrlProblem(subject, config);
  if (problem !== null) return failure(subject, problem);
  if (new URL(url).protocol !== "https:") {
    return warning(subject, `${url} is not https: wallets may not show the metadata`);
  }
  return ok(subject, `tokens' metadata points to ${url}, which must have what this server has`);
}

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
    `another program than tokend answers at ${publicUrl} (HTTP ${answer.status}), and tokens' metadata would point there permanently: set it to where others reach this server`,
  );
}
