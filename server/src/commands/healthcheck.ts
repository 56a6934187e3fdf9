import { hostInUrl } from "../base/loopback.ts";
import { readSettings } from "../config/read-settings.ts";
import { askHealth } from "./doctor/ask-health.ts";

/** `tokend healthcheck`: prints what `GET /ready` says; exit code 1 if the server may get no requests. */
export async function healthcheck(): Promise<void> {
  const { HOST, PORT } = readSettings(process.env, ["HOST", "PORT"]);
  const url = `http://${hostInUrl(HOST)}:${PORT}`;
  const answer = await askHealth(url, "/ready");
  if (answer.kind === "tokend") {
    console.log(answer.ok ? "ready" : `not ready: ${answer.message}`);
  } else {
    const why = answer.kind === "no_answer" ? answer.reason : "another program does";
    console.log(`no tokend answers at ${url}/ready (${why})`);
  }
  process.exitCode = answer.kind === "tokend" && answer.ok ? 0 : 1;
}
