import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";

const AGAIN_SOON = "Try again in a minute; `tokenctl health` shows what is down";
const LOG_IN = "Run `tokenctl login` to see whether this wallet can sign in";
const SEE_FEES = "`tokenctl fees` shows what can be claimed; try again in a minute";
const CLAIM_AGAIN = "Run the claim again: it asks for a new transaction";
const SEE_STATUS = "`tokenctl status` shows the state of the launch";

/** What to do next where that is one of this program's own commands or flags; the contract has the rest. */
const own: Readonly<Record<string, string>> = {
  connection_failed:
    "Start a server with `tokend`, or name a running one with --api-url or TOKENCTL_API_URL",
  timeout: "Try again; `tokenctl health` shows whether the server works",
  service_unavailable: AGAIN_SOON,
  chain_unavailable: AGAIN_SOON,
  queue_full: AGAIN_SOON,
  too_many_streams: "This wallet is watched too often: end another `tokenctl watch`",
  events_gone:
    "Old events are deleted: run it without --after for those to come; `tokenctl tokens` shows what there is",
  webhook_not_found: "`tokenctl webhooks list` shows the wallet's webhooks",
  webhook_exists: "`tokenctl webhooks list` shows it; remove it first to add it again",
  webhook_limit: "Remove one first with `tokenctl webhooks remove`",
  webhook_disabled:
    "Its receiver answered 410. Remove it and add it again, with --after to get what it missed",
  invite_required: "Ask the server's operator for a code, then run `tokenctl redeem <code>`",
  not_on_allowlist: "Ask the server's operator to list the address that `tokenctl address` prints",
  agent_balance_low:
    "Send SOL to the address that `tokenctl address` prints; on a sandbox, `tokenctl dev airdrop` does that",
  wallet_blocked: "Tell the server's operator; `tokenctl claim` still works",
  method_not_allowed:
    "Check that --api-url is the address of a tokend server of the same version as tokenctl",
  unauthorized: LOG_IN,
  missing_authorization: LOG_IN,
  invalid_token: LOG_IN,
  // Its own launch has other hints.
  ticker_taken: "Choose another ticker: it is unique across all launches",
  launch_not_found: "Check the event id, and with --keypair that it is the wallet that launched it",
  token_not_found: "`tokenctl tokens` lists the mints of this wallet's tokens",
  no_fees_to_claim: "Fees come from trades; `tokenctl fees` shows what can be claimed",
  creator_changed: "Claim with the wallet that the fees belong to now; `tokenctl fees` names it",
  claim_expired: CLAIM_AGAIN,
  claim_mismatch: CLAIM_AGAIN,
  claim_unsigned: "Check that --keypair is the wallet that launched the token",
  not_retryable: SEE_STATUS,
  not_cancellable: SEE_STATUS,
  not_found:
    "`tokenctl dev` needs a sandbox server, which runs with CHAIN=local; other commands may need a newer server",
  server_error: errorCodes.internal_error.next,
  rpc_failed: "Check that --rpc-url is a node of the server's cluster, or leave it out",
  chain_refused: SEE_FEES,
  claim_build_failed: SEE_FEES,
  claim_refused: SEE_FEES,
  invalid_response: "Check that --api-url is the address of a tokend server",
  response_too_large: "No tokend server sends that much: check --api-url",
  redirected: "Give --api-url the address that the server redirects to",
};

/** @returns what to do next about a code; undefined if that is not known */
export function hintOf(code: string): string | undefined {
  if (Object.hasOwn(own, code)) return own[code];
  return isErrorCode(code) ? errorCodes[code].next : undefined;
}
