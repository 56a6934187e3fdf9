import type { CallToolResult } from "@modelcontextprotocol/server";
import { ApiError, TickerTakenError, TokenctlError } from "@tokenctl/sdk";
import { CliError } from "../errors.ts";
import { plain } from "../text.ts";
import { waitText } from "../waiting.ts";
import { Refusal } from "./refusal.ts";

const LATER = "Try again in a minute; get_health shows what is down.";
const PREVIEW_AGAIN = "Call preview_claim again and use its new claimToken.";
const TELL = "Do not try again. Tell the person who runs this MCP server.";

/** What a model does next, by the codes of the service and the SDK. */
const hints: Readonly<Record<string, string>> = {
  connection_failed: LATER,
  timeout: LATER,
  service_unavailable: LATER,
  chain_unavailable: LATER,
  database_unavailable: LATER,
  queue_full: LATER,
  claim_unsettled: "The claim may have been paid: get_fees shows later what is left to claim.",
  aborted:
    "The call was cancelled, and may have been carried out: read the state before you repeat it.",
  claim_unverified: "The claim may have been paid: get_fees shows later what is left to claim.",
  image_file: "Give the path of an image in the folder that the owner allowed.",
  ticker_taken: "Choose another ticker: it is unique across all launches.",
  launch_not_found: "Check the eventId: list_launches lists this wallet's launches.",
  token_not_found: "list_tokens lists the mints of this wallet's tokens.",
  no_fees_to_claim: "Fees come from trades; get_fees shows what can be claimed.",
  creator_changed: "Another wallet has the fees now: tell the person. get_fees names it if it can.",
  not_retryable: "get_launch shows the launch's state.",
  not_cancellable:
    "get_launch shows the launch's state: only a pending one that is not signed yet can be cancelled.",
  claim_expired: PREVIEW_AGAIN,
  claim_mismatch: PREVIEW_AGAIN,
  not_found: "The sandbox tools need a sandbox server, others may need a newer one.",
  claim_check_failed: TELL,
  receipt_mismatch: TELL,
  nonce_refused: TELL,
  budget_exhausted: TELL,
  keypair_missing: TELL,
  insufficient_sol:
    "The wallet needs more SOL for the network fee; on a sandbox, sandbox_airdrop gives it some.",
};

/** An error as a tool answers it. */
interface ToolError {
  readonly code: string;
  readonly error: string;
  readonly hint: string | undefined;
}

/** @returns what a model reads about an error. Every error of a tool passes through here. */
function toolError(error: unknown): ToolError {
  if (error instanceof Refusal || error instanceof CliError) {
    const { code, message } = error;
    return { code, error: message, hint: error instanceof Refusal ? error.hint : own(code) };
  }
  if (error instanceof TokenctlError) {
    const { code, message } = error;
    return { code, error: message, hint: hintFor(error) };
  }
  return { code: "unexpected", error: "Something unexpected went wrong", hint: TELL };
}

/** @returns the result of a tool that failed */
export function errorResult(error: unknown): CallToolResult {
  const { code, error: what, hint } = toolError(error);
  const lines = [`Error: ${what}`, `Code: ${code}`, ...(hint === undefined ? [] : [hint])];
  return {
    content: [{ type: "text", text: lines.map(plain).join("\n") }],
    isError: true,
    _meta: { code },
  };
}

/** The service's own advice is not always fit for a model: what is known here comes first. */
function hintFor(error: TokenctlError): string | undefined {
  if (error instanceof TickerTakenError && error.eventId !== null) return aboutOwn(error);
  const known = own(error.code);
  if (!(error instanceof ApiError)) return known ?? error.hint;
  const { retryAfterSeconds, explanation } = error;
  const advice = [known ?? explanation ?? error.hint];
  if (retryAfterSeconds !== null) advice.push(`Try again ${waitText(retryAfterSeconds)}.`);
  return advice.filter((text) => text !== undefined).join(" ");
}

/** The call to make about a launch of the wallet's own. */
export function aboutOwn({
  eventId,
  launchStatus,
}: Pick<TickerTakenError, "eventId" | "launchStatus">): string {
  const tool =
    launchStatus === "pending" || launchStatus === "success" ? "get_launch" : "retry_launch";
  return `It is this wallet's own launch, its status is ${launchStatus}: call ${tool} with eventId ${eventId}.`;
}

function own(code: string): string | undefined {
  return Object.hasOwn(hints, code) ? hints[code] : undefined;
}
