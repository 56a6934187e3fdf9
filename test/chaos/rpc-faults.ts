/** What a node, or the way to it, does to a request. */
export const FAULTS = [
  /** The connection breaks before the node hears of it. */
  "request lost",
  /** The node acts on it, and the connection breaks. */
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  /** A page of HTML, or JSON that means nothing. */
  "garbage",
  /** The node acts on it, and the connection breaks in the middle of the answer. */
  "half a body",
  /** Answered by a node that stopped following the cluster; what it is sent, it passes on. */
  "stale node",
  /** The node has forgotten all transactions, and says that they never were. */
  "forgetful node",
  /** A transaction reaches the cluster only once its blockhash has expired. */
  "late delivery",
  /** No answer comes, and the connection stays open until the node is well again. */
  "hang",
  /** The answer takes its time. */
  "slow",
] as const;

export type Fault = (typeof FAULTS)[number];

/** Answers that a web server, a proxy or a broken node may give with status 200. */
const GARBAGE = [
  "<html><body>It works!</body></html>",
  "",
  "null",
  "[]",
  '{"jsonrpc":"2.0","id":"1"}',
  '{"jsonrpc":"2.0","id":"1","result":null}',
  '{"jsonrpc":"2.0","id":"1","result":{"context":{"slot":"x"},"value":"y"}}',
  '{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Internal error"}}',
];

/** @param number which of them */
export function garbage(number: number): string {
  return GARBAGE[number % GARBAGE.length] ?? "";
}

/** Decides for each request what goes wrong with it. */
export type Spoil = (method: string) => Fault | null;
