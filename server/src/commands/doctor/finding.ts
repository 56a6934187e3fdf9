import { problemText } from "../../launchpad/chain/cluster.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import { readRpcError } from "../../solana/rpc-errors.ts";

export interface Finding {
  readonly verdict: "ok" | "warning" | "failure";
  readonly subject: string;
  /** What was found and, if it is not well, what to do. Contains no secret and no URL with a key. */
  readonly text: string;
}

const finding =
  (verdict: Finding["verdict"]) =>
  (subject: string, text: string): Finding => ({ verdict, subject, text });

export const ok = finding("ok");
export const warning = finding("warning");
export const failure = finding("failure");

export async function attempt(
  subject: string,
  check: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return failure(subject, messageOf(error));
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof ChainUnavailableError || readRpcError(error)) return problemText(error);
  return error instanceof Error ? error.message : String(error);
}
