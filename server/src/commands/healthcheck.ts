import { hostInUrl } from "../base/loopback.ts";
import { readSettings } from "../config/read-settings.ts";

/** Longer than `/health` takes, which never waits for the chain. */
const TIMEOUT_MS = 5_000;

/**
 * `tokend healthcheck`, for containers and scripts: prints what the server says of itself. The exit code
 * is 1 unless `GET /health` answers 200.
 */
export async function healthcheck(): Promise<void> {
  const { HOST, PORT } = readSettings(process.env, ["HOST", "PORT"]);
  const url = `http://${hostInUrl(HOST)}:${PORT}/health`;
  try {
    const response = await fetch(url, {
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { message } = Object(await response.json()) as { message?: unknown };
    console.log(response.ok ? "healthy" : `unhealthy: ${message ?? `HTTP ${response.status}`}`);
    process.exitCode = response.ok ? 0 : 1;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "no answer";
    console.log(`no tokend answers at ${url} (${code})`);
    process.exitCode = 1;
  }
}
