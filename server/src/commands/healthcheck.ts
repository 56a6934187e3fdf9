import { hostInUrl } from "../base/loopback.ts";
import { readSettings } from "../config/read-settings.ts";
import { askHealth } from "./doctor/ask-health.ts";

/** `tokend healthcheck`: prints what the server says of itself; exit code 1 if not healthy. */
export async function healthcheck(): Promise<void> {
  const { HOST, PORT } = readSettings(process.env, ["HOST", "PORT"]);
  const url = `http://${hostInUrl(HOST)}:${PORT}`;
  const answer = await askHealth(url);
  if (answer.kind === "tokend") {
    console.log(answer.ok ? "healthy" : `unhealthy: ${answer.message ?? "it does not say why"}`);
  } else {
    const why = answer.kind === "no_answer" ? answer.reason : "another program does";
    console.log(`no tokend answers at ${url}/health (${why})`);
  }
  process.exitCode = answer.kind === "tokend" && answer.ok ? 0 : 1;
}
