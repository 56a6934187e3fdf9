import { hostInUrl } from "../../base/loopback.ts";
import type { Config } from "../../config/config.ts";
import { loopbackUrlProblem } from "../../config/warnings.ts";
import { askHealth, type HealthAnswer } from "../healthcheck.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

export async function* checkPort(config: Config): AsyncGenerator<Finding> {
  const { host, port } = config;
  if (port === 0) return yield ok("port", "any free port");
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const code = await tryToListen(host, port);
  if (code === null) return yield ok("port", `${address} is free`);
  if (code !== "EADDRINUSE") {
    return yield failure("port", `no server can listen on ${address} (${code}): set HOST and PORT`);
  }
  const answer = await askHealth(`http://${hostInUrl(host)}:${port}`);
  if (answer.kind !== "tokend") {
    const text = `${address} is taken by another program: stop it, or set another PORT`;
    return yield failure("port", text);
  }
  yield ok("port", `a server is running on ${address} already`);
  const { ok: isOk, message } = answer;
  if (!isOk) yield failure("health", message ?? "the server cannot do its work");
  else if (message === null) yield ok("health", "the server reports no problem");
  else yield warning("health", message);
}

/** Returns the system's error code; null if it can listen. */
async function tryToListen(hostname: string, port: number): Promise<string | null> {
  try {
    const server = Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      fetch: () => new Response(null, { status: 503 }),
    });
    await server.stop(true);
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  }
}

const SUBJECT = "PUBLIC_URL";
/** What a proxy answers while the server behind it is down or not yet set up in it. */
const NO_SERVER_YET = new Set([404, 502, 503, 504]);

type Urls = Pick<Config, "publicUrl" | "metadataBaseUrl" | "chain">;

export async function* checkPublicUrl(config: Urls): AsyncGenerator<Finding> {
  const { publicUrl, metadataBaseUrl, chain } = config;
  if (chain.chain === "local") return yield ok(SUBJECT, publicUrl);
  if (metadataBaseUrl !== publicUrl) {
    // There is no document to check before there is a token.
    const text = `tokens' metadata points to ${metadataBaseUrl}, which must have what this server has`;
    yield problemOf("METADATA_BASE_URL", config) ?? ok("METADATA_BASE_URL", text);
  }
  const problem = problemOf(SUBJECT, config);
  if (problem) yield problem;
  if (problem?.verdict !== "failure") yield judgeAnswer(publicUrl, await askHealth(publicUrl));
}

function problemOf(name: "PUBLIC_URL" | "METADATA_BASE_URL", config: Urls): Finding | null {
  const problem = loopbackUrlProblem(name, config);
  if (problem !== null) return failure(name, problem);
  const url = name === "PUBLIC_URL" ? config.publicUrl : config.metadataBaseUrl;
  if (new URL(url).protocol === "https:") return null;
  return warning(name, `${url} is not https: wallets may not show the metadata`);
}

export function judgeAnswer(publicUrl: string, answer: HealthAnswer): Finding {
  const later = "start the server and run doctor again";
  if (answer.kind === "tokend") return ok(SUBJECT, `a tokend answers at ${publicUrl}`);
  if (answer.kind === "no_answer") {
    return warning(SUBJECT, `nothing answers at ${publicUrl} yet (${answer.reason}): ${later}`);
  }
  if (answer.kind === "redirect") {
    const text = `${publicUrl} leads elsewhere (${answer.to}), where wallets may not follow: set it to where the server answers itself`;
    return warning(SUBJECT, text);
  }
  if (NO_SERVER_YET.has(answer.status)) {
    const text = `a proxy answers at ${publicUrl} with ${answer.status}: start the server behind it and run doctor again`;
    return warning(SUBJECT, text);
  }
  const text = `another program than tokend answers at ${publicUrl} (HTTP ${answer.status}), and tokens' metadata would point there permanently: set it to where others reach this server`;
  return failure(SUBJECT, text);
}
