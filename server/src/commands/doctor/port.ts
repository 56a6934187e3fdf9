import { hostInUrl } from "../../base/loopback.ts";
import type { Config } from "../../config/config.ts";
import { isDataDirectoryLocked } from "../../data/directory.ts";
import { askHealth, type HealthAnswer } from "./ask-health.ts";
import { type Finding, failure, ok, warning } from "./finding.ts";

const SUBJECT = "port";

type ListenSettings = Pick<Config, "host" | "port" | "dataDir" | "databaseUrl">;

export async function checkPort(settings: ListenSettings): Promise<Finding[]> {
  const { host, port } = settings;
  if (port === 0) return [ok(SUBJECT, "any free port")];
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const code = await tryToListen(host, port);
  if (code === null) return [ok(SUBJECT, `${address} is free`)];
  if (code !== "EADDRINUSE") {
    return [failure(SUBJECT, `no server can listen on ${address} (${code}): set HOST and PORT`)];
  }
  const answer = await askHealth(`http://${hostInUrl(host)}:${port}`);
  if (answer.kind === "tokend") return [judgeServer(address, settings), judgeHealth(answer)];
  const text = `${address} is taken by another program: stop it, or set another PORT`;
  return [failure(SUBJECT, text)];
}

function judgeServer(address: string, { dataDir, databaseUrl }: ListenSettings): Finding {
  // This process cannot see which database another one uses.
  if (databaseUrl !== null) return ok(SUBJECT, `a server is running on ${address} already`);
  if (isDataDirectoryLocked(dataDir)) {
    return ok(SUBJECT, `a server is running on ${address} already, and one on ${dataDir}`);
  }
  return failure(
    SUBJECT,
    `another tokend is running on ${address}, with another DATA_DIR: stop it, or set another PORT`,
  );
}

function judgeHealth({ ok: isOk, message }: HealthAnswer & { readonly kind: "tokend" }): Finding {
  if (!isOk) return failure("health", message ?? "the server cannot do its work");
  return message === null
    ? ok("health", "the server reports no problem")
    : warning("health", message);
}

/** @returns the system's code; null if it can */
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
