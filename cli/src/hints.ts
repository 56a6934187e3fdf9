import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";

const AGAIN_SOON = "Try again in a minute; `tokenctl health` shows what is down";
const LOG_IN = "Run `tokenctl login` to see whether this wallet can sign in";
const CLAIM_AGAIN = "Run the claim again: it requests a new transaction";
const HAND_OVER_AGAIN = "Run the hand-over again: it requests a new transaction";
const TOP_UP =
  "Send the difference to the address that `tokenctl address` prints; on a sandbox, `tokenctl dev airdrop` does that";

/** What to do next if it is a command or flag of this program; the contract has the other hints. */
const own: Readonly<Record<string, string>> = {
  connection_failed:
    "Start a server with `tokend`, or give a running one, with http or https as it answers, with --api-url or TOKENCTL_API_URL",
  // Every error of a tokend has a code of its own.
  api_error:
    "Check --api-url, including whether it is http or https; if a gateway answered, try again in a minute",
  timeout: "Try again; `tokenctl health` shows whether the server works",
  chain_unavailable: AGAIN_SOON,
  queue_full: AGAIN_SOON,
  events_gone:
    "Run it without --after for new events only; `tokenctl launches` and `tokenctl tokens` show the current state",
  invite_required: "Ask the server's operator for a code, then run `tokenctl redeem <code>`",
  agent_balance_low: TOP_UP,
  launch_unaffordable: TOP_UP,
  method_not_allowed:
    "Check that --api-url is the address of a tokend server of the same version as tokenctl",
  missing_authorization: LOG_IN,
  invalid_token: LOG_IN,
  // Only for another agent's launch; a launch of this wallet has its own hints.
  ticker_taken: "Choose another ticker",
  no_fees_to_claim: "`tokenctl fees` shows what can be claimed; fees come from trades",
  idempotency_mismatch: "Give another --idempotency-key, or leave it out",
  webhook_not_found: "`tokenctl webhooks list` lists them",
  token_not_found: "`tokenctl tokens` lists the mints of this wallet's tokens",
  claim_expired: CLAIM_AGAIN,
  claim_mismatch: CLAIM_AGAIN,
  hand_over_unaffordable: TOP_UP,
  hand_over_expired: HAND_OVER_AGAIN,
  hand_over_mismatch: HAND_OVER_AGAIN,
  claim_unsigned: "Check that --keypair is the wallet that launched the token",
  not_found:
    "Check that --api-url has no path; `tokenctl dev` needs a sandbox server, which runs with CHAIN=local; other commands may need a newer server",
  rpc_failed: "Check --rpc-url, or try another node",
  response_too_large: "No tokend server sends that much: check --api-url",
};

/** Replaces the names of the SDK's options in a text with the flags that set them. */
export function inFlags(text: string): string {
  return text.replace(
    /\b(apiUrl|atMost|rpcUrl|maxCostSOL|firstBuyMin)(?:Tokens)?\b/g,
    (_, name: string) => `--${name.replace(/[A-Z]+/g, (word) => `-${word.toLowerCase()}`)}`,
  );
}

export function hintOf(code: string): string | undefined {
  if (Object.hasOwn(own, code)) return own[code];
  return isErrorCode(code) ? errorCodes[code].next : undefined;
}

/** Returns advice after a command failed, without the clauses that say to run it again. */
export function adviceAfter({ name }: { name?: string }, hint?: string): string | undefined {
  const others = hint?.split("; ").filter((clause) => !clause.includes(`\`tokenctl ${name}\``));
  const advice = others?.join("; ");
  return advice ? advice.slice(0, 1).toUpperCase() + advice.slice(1) : undefined;
}
