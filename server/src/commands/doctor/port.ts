import { hostInUrl } from "../../base/loopback.ts";
import type { Config } from "../../config/config.ts";
import { isDataDirectoryLocked } from "../../data/lock.ts";
import { type Finding, failure, ok } from "./finding.ts";
import { meet } from "./meet.ts";

const SUBJECT = "port";

/** Whether the server can listen where it is told to, or does so already. */
export async function checkPort({
  host,
  port,
  dataDir,
}: Pick<Config, "host" | "port" | "dataDir">): Promise<Finding> {
  if (port === 0) return ok(SUBJECT, "any that is free");
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const code = await tryToListen(host, port);
  if (code === null) return ok(SUBJECT, `${address} is free`);
  if (code !== "EADDRINUSE") {
    return failure(SUBJECT, `nobody can listen on ${address} (${code}): set HOST and PORT`);
  }
  const met = await meet(`http://${hostInUrl(host)}:${port}`);
  if (met.kind !== "tokend") {
    return failure(
      SUBJECT,
      `${address} is taken by another program: stop that, or set another PORT`,
    );
  }
  if (isDataDirectoryLocked(dataDir)) {
    return ok(SUBJECT, `a server is running on ${address} already, and one on ${dataDir}`);
  }
  return failure(
    SUBJECT,
    `another tokend is running on ${address}, with another DATA_DIR: stop that, or set another PORT`,
  );
}

/** @returns why it cannot be done, as a code; null where it can */
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
