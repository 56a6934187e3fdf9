/** The delays of a real cluster, in milliseconds. */
export interface Delays {
  /** From a request to its answer. */
  readonly answerMs: number;
  /** From sending a transaction to its first status. */
  readonly confirmMs: number;
}

const POST = { method: "POST", headers: { "content-type": "application/json" } };

interface Call {
  readonly method?: string;
  readonly params?: readonly unknown[];
}

/**
 * Delays the answers of a JSON-RPC handler as a distant cluster does, and counts its calls.
 *
 * @param handle answers at once
 * @param calls gets how often each method was called
 */
export function delayed(
  handle: (request: Request) => Promise<Response>,
  calls: Map<string, number>,
  { answerMs, confirmMs }: Delays,
): (request: Request) => Promise<Response> {
  const sentAt = new Map<string, number>();
  return async (request) => {
    const arrived = performance.now();
    const body = await request.text();
    const call = JSON.parse(body) as Call;
    const method = call.method ?? "batch";
    calls.set(method, (calls.get(method) ?? 0) + 1);
    const answer = await handle(new Request(request.url, { ...POST, body }));
    const text = await answer.text();
    if (method === "sendTransaction") sentAt.set(JSON.parse(text).result, arrived);
    const shown = method === "getSignatureStatuses" ? withoutUnconfirmed(text, call) : text;
    await Bun.sleep(Math.max(0, answerMs - (performance.now() - arrived)));
    return new Response(shown, { headers: { "content-type": "application/json" } });
  };

  /** Removes the statuses of transactions that a real cluster would not have confirmed yet. */
  function withoutUnconfirmed(text: string, { params }: Call): string {
    const [signatures] = params as [string[]];
    const answer = JSON.parse(text) as { result: { value: unknown[] } };
    const now = performance.now();
    answer.result.value = answer.result.value.map((status, index) => {
      const sent = sentAt.get(signatures[index] ?? "");
      return sent !== undefined && now - sent < confirmMs ? null : status;
    });
    return JSON.stringify(answer);
  }
}
