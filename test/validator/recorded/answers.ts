import type { Requests } from "./requests.ts";

/** An answer without what differs from run to run: keys, amounts and times become their types. */
export interface RecordedAnswer {
  readonly status: number;
  readonly text?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly result?: unknown;
  readonly batch?: unknown;
}

export interface Recording {
  readonly node: string;
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
}

/** Sends all requests one after another. @returns the answers by what they try, in their order */
export async function answersTo(
  url: string,
  { calls, raw }: Requests,
): Promise<Recording["answers"]> {
  const answers: Record<string, RecordedAnswer> = {};
  for (const [what, [method, ...params]] of Object.entries(calls)) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    answers[what] = await answerTo(url, { method: "POST", headers, body });
  }
  for (const [what, { path = "/", ...init }] of Object.entries(raw)) {
    answers[what] = await answerTo(url + path, init);
  }
  return answers;
}

async function answerTo(url: string, init: RequestInit): Promise<RecordedAnswer> {
  const response = await fetch(url, init);
  const { status } = response;
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { status, text: text.trim() };
  }
  if (Array.isArray(body)) return { status, batch: body.map(shapeOf) };
  const { error, result } = body as { error?: RpcError; result?: unknown };
  if (error === undefined) return { status, result: shapeOf(withoutVotes(result)) };
  const { code, message, data } = error;
  return {
    status,
    error: {
      code,
      message: steady(message),
      ...(data !== undefined && { data: shapeOf(data) }),
    },
  };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

function withoutVotes(result: unknown): unknown {
  const { transactions } = Object(result) as { transactions?: unknown };
  if (!Array.isArray(transactions)) return result;
  const isVote = (item: unknown) => JSON.stringify(item).includes(VOTE_PROGRAM);
  return { ...Object(result), transactions: transactions.filter((item) => !isVote(item)) };
}

const VOTE_PROGRAM = "Vote111111111111111111111111111111111111111";

/** Fields whose values say what happened. */
const TELLING = new Set([
  "err",
  "status",
  "confirmationStatus",
  "version",
  "fee",
  "code",
  "Custom",
]);

/** What the embedded chain does not count: a transaction's cost toward a block's limit. */
const UNCOUNTED = "costUnits";

/** @returns a value with types for what is not telling, and an item for each kind in a list */
function shapeOf(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) {
    const kinds = new Map(value.map((item) => [JSON.stringify(shapeOf(item)), shapeOf(item)]));
    return [...kinds].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, kind]) => kind);
  }
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== UNCOUNTED)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, field]) => [key, TELLING.has(key) ? field : shapeOf(field)]),
  );
}

/** @returns a text without the keys, slots and sizes in it */
function steady(text: string): string {
  return text.replace(/[1-9A-HJ-NP-Za-km-z]{32,}/g, "…").replace(/\d{2,}/g, "N");
}
