import type { Config } from "../../config/config.ts";
import { loopbackUrlProblem } from "../../config/warnings.ts";
import { askHealth, type HealthAnswer } from "./ask-health.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

const SUBJECT = "PUBLIC_URL";
/** What a proxy answers while the server behind it does not run or is not set up in it yet. */
const NO_SERVER_YET = new Set([404, 502, 503, 504]);

type Urls = Pick<Config, "publicUrl" | "metadataBaseUrl" | "chain">;

export async function checkPublicUrl(config: Urls): Promise<Finding[]> {
  const { publicUrl, metadataBaseUrl, chain } = config;
  if (chain.chain === "local") return [ok(SUBJECT, publicUrl)];
  const found: Finding[] = [];
  if (metadataBaseUrl !== publicUrl) {
    // Documents cannot be checked before there is a token.
    const text = `tokens' metadata points to ${metadataBaseUrl}, which must have what this server has`;
    found.push(problemOf("METADATA_BASE_URL", config) ?? ok("METADATA_BASE_URL", text));
  }
  const problem = problemOf(SUBJECT, config);
  if (problem) found.push(problem);
  if (problem?.verdict === "failure") return found;
  return [...found, judgeAnswer(publicUrl, await askHealth(publicUrl))];
}

function problemOf(name: "PUBLIC_URL" | "METADATA_BASE_URL", config: Urls): Finding | null {
  const problem = loopbackUrlProblem(name, config);
  if (problem !== null) return failure(name, problem);
  const url = name === "PUBLIC_URL" ? config.publicUrl : config.metadataBaseUrl;
  if (new URL(url).protocol === "https:") return null;
  return warning(name, `${url} is not https: wallets may not show the metadata`);
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
