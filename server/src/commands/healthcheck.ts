import { hostInUrl } from "../base/loopback.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { readSettings } from "../config/read-settings.ts";

/** `tokend healthcheck`: prints the answer of `GET /ready`. The exit code is 1 if not ready. */
export async function healthcheck(): Promise<void> {
  const { HOST, PORT } = readSettings(process.env, ["HOST", "PORT"]);
  const url = `http://${hostInUrl(HOST)}:${PORT}`;
  const answer = await askHealth(url, "/ready");
  if (answer.kind === "tokend") {
    console.log(answer.ok ? "ready" : `not ready: ${answer.message}`);
  } else {
    console.log(`no tokend answers at ${url}/ready (${answer.reason})`);
  }
  process.exitCode = answer.kind === "tokend" && answer.ok ? 0 : 1;
}

/** A tokend's `message` is a problem or a notice; null if there is neither. */
export type HealthAnswer =
  | { readonly kind: "tokend"; readonly ok: boolean; readonly message: string | null }
  | { readonly kind: "other" | "none"; readonly reason: string };

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024;

export async function askHealth(url: string, path = "/health"): Promise<HealthAnswer> {
  try {
    const response = await fetch(url + path, {
      redirect: "manual",
      headers: { "accept-encoding": "identity" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await readAtMost(MAX_BYTES, response.body)) ?? "";
    const reason = `another program does, with HTTP ${response.status}`;
    return parseHealth(text) ?? { kind: "other", reason };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error) };
  }
}

function parseHealth(text: string): HealthAnswer | null {
  try {
    const said = JSON.parse(text) as Record<string, unknown>;
    const { ok, db, timestamp, message, ready, code, error } = said;
    if (ready === true) return { kind: "tokend", ok: true, message: null };
    if (ok === undefined && typeof code === "string" && typeof error === "string") {
      return { kind: "tokend", ok: false, message: error };
    }
    const isHealth =
      typeof ok === "boolean" && typeof db === "string" && typeof timestamp === "string";
    if (!isHealth) return null;
    const toOperator = said.operatorMessage ?? message;
    return { kind: "tokend", ok, message: typeof toOperator === "string" ? toOperator : null };
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  return "code" in error ? String(error.code) : error.message;
}
