import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiError, TickerTakenError, TokenctlError } from "@tokenctl/sdk";
import { CliError } from "../errors.ts";
import { plain } from "../text.ts";
import { waitText } from "../waiting.ts";
import { Refusal } from "./refusal.ts";

const LATER = "Try again in a minute; get_health shows what is down.";
const PREVIEW_AGAIN = "Call preview_claim again and use its new claimToken.";
const SEE_FEES = "The claim may have been paid: get_fees will show what is left to claim.";
const TELL = "Do not try again. Tell the person who runs this MCP server.";

/** What to do next if that is a tool, or the user's decision; the SDK and the contract have the rest. */
const hints: Readonly<Record<string, string>> = {
  connection_failed: LATER,
  timeout: LATER,
  service_unavailable: LATER,
  chain_unavailable: LATER,
  database_unavailable: LATER,
  queue_full: LATER,
  claim_unsettled: SEE_FEES,
  claim_unverified: SEE_FEES,
  aborted: "The cancelled call may have been carried out: read the state before you repeat it.",
  image_file: "Give the path of an image in the folder that the owner allowed.",
  ticker_taken: "Choose another ticker.",
  launch_not_found: "Check the eventId: list_launches lists this wallet's launches.",
  token_not_found: "list_tokens lists the mints of this wallet's tokens.",
  no_fees_to_claim: "Fees come from trades; get_fees shows what can be claimed.",
  creator_changed: "Tell the user that another wallet now owns the fees; get_fees names it.",
  not_retryable: "get_launch shows the launch's state.",
  not_cancellable: "get_launch shows the launch's state.",
  claim_expired: PREVIEW_AGAIN,
  claim_mismatch: PREVIEW_AGAIN,
  not_found: "The sandbox tools need a sandbox server; others may need a newer one.",
  claim_check_failed: TELL,
  launch_check_failed: TELL,
  launch_unaffordable:
    "The wallet needs more SOL; on a sandbox, sandbox_airdrop gives it some. Then call launch_token again with the same arguments.",
  receipt_mismatch: TELL,
  nonce_refused: TELL,
  budget_exhausted: TELL,
  keypair_missing: TELL,
  insufficient_sol:
    "The wallet needs more SOL for the network fee; on a sandbox, sandbox_airdrop gives it some.",
};

/** @returns the result of a tool that failed. Every error of a tool passes through here */
export function errorResult(error: unknown): CallToolResult {
  const isKnown = error instanceof CliError || error instanceof TokenctlError;
  const { code, message } = isKnown
    ? error
    : { code: "unexpected", message: "Something unexpected went wrong" };
  const hint = isKnown ? hintFor(error) : TELL;
  const lines = [`Error: ${message}`, `Code: ${code}`, ...(hint === undefined ? [] : [hint])];
  return {
    content: [{ type: "text", text: lines.map(plain).join("\n") }],
    isError: true,
    _meta: { code },
  };
}

/** The hints here come first: the service's own advice does not always suit a model. */
function hintFor(error: CliError | TokenctlError): string | undefined {
  if (error instanceof Refusal) return error.hint;
  if (error instanceof TickerTakenError && error.eventId !== null) return aboutOwn(error);
  const known = Object.hasOwn(hints, error.code) ? hints[error.code] : undefined;
  if (error instanceof CliError) return known;
  if (!(error instanceof ApiError)) return known ?? error.hint;
  const { retryAfterSeconds, explanation } = error;
  const advice = [known ?? explanation ?? error.hint];
  if (retryAfterSeconds !== null) advice.push(`Try again ${waitText(retryAfterSeconds)}.`);
  return advice.filter((text) => text !== undefined).join(" ");
}

/** The call to make about the wallet's own launch. */
export function aboutOwn({
  eventId,
  launchStatus,
}: Pick<TickerTakenError, "eventId" | "launchStatus">): string {
  const isFinal = launchStatus === "failed" || launchStatus === "rate_limited";
  const tool = isFinal ? "retry_launch" : "get_launch";
  return `It is this wallet's own launch with the status ${launchStatus}: call ${tool} with eventId ${eventId}.`;
}
