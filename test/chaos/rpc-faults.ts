/** What can go wrong with a request to a node. */
export const FAULTS = [
  "request lost",
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
  /** A node answers that has stopped following the cluster; it still forwards transactions. */
  "stale node",
  "forgetful node",
  /** A transaction reaches the cluster only once its blockhash has expired. */
  "late delivery",
  /** No answer comes, and the connection stays open until the faults stop. */
  "hang",
  "slow",
] as const;

export type Fault = (typeof FAULTS)[number];

/** Answers of a web server, a proxy or a broken node with status 200. */
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

/** @returns one of them; the same for the same number */
export function garbage(number: number): string {
  return GARBAGE[number % GARBAGE.length] ?? "";
}

/** Decides for each request what goes wrong with it; null for nothing. */
export type ChooseFault = (method: string) => Fault | null;
