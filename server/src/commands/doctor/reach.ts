import { hostInUrl } from "../../base/loopback.ts";
import type { Config } from "../../config/config.ts";
import { loopbackUrlProblem } from "../../config/warnings.ts";
import { askHealth } from "../healthcheck.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

/** Says what the server on the settings' port reports, if one runs. */
export async function* checkServer({ host, port }: Config): AsyncGenerator<Finding> {
  const answer = await askHealth(`http://${hostInUrl(host)}:${port}`);
  if (answer.kind === "other")
    return yield failure("health", "another program has PORT: set another");
  if (answer.kind !== "tokend") return yield ok("health", "no server runs on HOST and PORT");
  const { ok: isOk, message } = answer;
  if (!isOk) yield failure("health", message ?? "the server cannot do its work");
  else if (message === null) yield ok("health", "the server reports no problem");
  else yield warning("health", message);
}

export async function* checkPublicUrl(config: Config): AsyncGenerator<Finding> {
  const { publicUrl, metadataBaseUrl, chain } = config;
  if (chain.chain === "local") return yield ok("PUBLIC_URL", publicUrl);
  const urls = { PUBLIC_URL: publicUrl, METADATA_BASE_URL: metadataBaseUrl };
  const names = ["PUBLIC_URL", "METADATA_BASE_URL"] as const;
  for (const name of names.slice(0, publicUrl === metadataBaseUrl ? 1 : 2)) {
    const problem = loopbackUrlProblem(name, config);
    if (problem !== null) yield failure(name, problem);
    else if (new URL(urls[name]).protocol !== "https:") {
      yield warning(name, `${urls[name]} is not https: wallets may not show the metadata`);
    }
  }
  const answer = await askHealth(publicUrl);
  if (answer.kind === "tokend") yield ok("PUBLIC_URL", `a tokend answers at ${publicUrl}`);
  else {
    const text = `no tokend answers at ${publicUrl} (${answer.reason}), where tokens' metadata will point permanently: set it to where others reach this server, start it and run doctor again`;
    yield warning("PUBLIC_URL", text);
  }
}
