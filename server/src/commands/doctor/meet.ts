/** Who answered `GET /health` at an address. */
export type Met =
  | { readonly kind: "tokend" }
  /** Why nobody did, in a word or two. */
  | { readonly kind: "nobody"; readonly reason: string }
  | { readonly kind: "redirect"; readonly to: string }
  /** What answered is no tokend. */
  | { readonly kind: "other"; readonly status: number };

const TIMEOUT_MS = 5_000;
/** More than a tokend answers. */
const MAX_BYTES = 16 * 1024;

/** Asks an address for its health, and goes nowhere else. */
export async function meet(url: string): Promise<Met> {
  try {
    const response = await fetch(`${url}/health`, {
      redirect: "manual",
      headers: { "accept-encoding": "identity" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return { kind: "redirect", to: headers.get("location") ?? "nowhere" };
    }
    return isHealth(await read(response)) ? { kind: "tokend" } : { kind: "other", status };
  } catch (error) {
    return { kind: "nobody", reason: reasonOf(error) };
  }
}

/** @returns as much of a body as a tokend may send */
async function read(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) break;
  }
  return text;
}

/** Whether a text is what a tokend says, well or not; a newer one may say more. */
function isHealth(text: string): boolean {
  try {
    const { ok, db, timestamp } = JSON.parse(text) as Record<string, unknown>;
    return typeof ok === "boolean" && typeof db === "string" && typeof timestamp === "string";
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  return "code" in error ? String(error.code) : error.message;
}
