import { Type } from "@sinclair/typebox";
import {
  LaunchAcceptedSchema,
  LaunchRequestSchema,
  LaunchTransactionRequestSchema,
  PreparedLaunchSchema,
  RedeemedInviteSchema,
  RedeemRequestSchema,
} from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { LaunchListSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { limits } from "@tokenctl/shared/limits";
import type { LaunchStatus } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { Requester } from "../../domain/shares.ts";
import { endpoint, json, partialJson } from "../../http/endpoint.ts";
import { IDEMPOTENCY_KEY, LAUNCH_STATUS, PAGE, whole } from "../../http/parameters.ts";
import { inviteHash } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";
import type { LaunchChecker } from "./check.ts";
import type { PaidLaunches } from "./paid-launches.ts";
import type { LaunchService } from "./service.ts";

const tag = "Launches";

const INTAKE_ERRORS = [
  "ticker_taken",
  "paused",
  "agent_balance_low",
  "wallet_blocked",
  "not_on_allowlist",
  "invite_required",
  "launch_rate_limit",
  "address_launch_limit",
  "share_used",
  "daily_budget_spent",
  "queue_full",
] as const;

interface LaunchEvents {
  until(
    requester: Requester,
    bounds: { readonly waitMs: number; readonly signal: AbortSignal },
    reading: { read(): Promise<LaunchStatus>; isDone(launch: LaunchStatus): boolean },
  ): Promise<LaunchStatus>;
}

interface LaunchParts {
  readonly launches: LaunchService;
  readonly paid: PaidLaunches;
  readonly checker: LaunchChecker;
  readonly events: LaunchEvents;
}

export function launchEndpoints({ launches, paid, checker, events }: LaunchParts) {
  return [
    endpoint({
      route: "POST /api/v1/tokens/launch/",
      id: "launchToken",
      summary: "Launch a token",
      description:
        "Stores the launch and puts it in the queue; the token is not on the chain yet. Poll `getLaunchStatus` every 5 to 10 seconds until it is `success` or `failed`. Each agent gets one token a UTC day: a second launch is accepted and ends `rate_limited`.",
      tag,
      headers: { "Idempotency-Key": IDEMPOTENCY_KEY },
      takesAddress: true,
      body: json(LaunchRequestSchema),
      answer: LaunchAcceptedSchema,
      errors: ["agent_launch_limit", "idempotency_mismatch", "register_failed", ...INTAKE_ERRORS],
      handle: ({ wallet, body, headers, address }) =>
        launches.register(wallet, body, { idempotencyKey: headers["Idempotency-Key"], address }),
    }),
    endpoint({
      route: "POST /api/v1/tokens/launch/check",
      id: "checkLaunch",
      summary: "Check what would happen to a launch",
      description:
        "Takes the body of `launchToken`, and returns every reason against it at once. It changes nothing and reserves nothing.",
      tag,
      takesAddress: true,
      asksChain: true,
      body: partialJson(LaunchRequestSchema),
      answer: LaunchCheckSchema,
      errors: [],
      handle: ({ wallet, body, address }) => checker.check(wallet, body, address),
    }),
    endpoint({
      route: "GET /api/v1/tokens/launch/status/:eventId",
      id: "getLaunchStatus",
      summary: "Read the status of a launch",
      description:
        "Returns the state of the launch; with `wait`, once it has ended or that time is over. `success` comes with the token's mint and pool, `failed` and `rate_limited` with the reason in `error`.",
      tag,
      query: {
        wait: whole(
          { ...limits.eventWait, absent: 0 },
          "Seconds to wait for the end of a launch that is pending",
        ),
      },
      takesAddress: true,
      isLong: ({ wait }) => wait > 0,
      answer: LaunchStatusSchema,
      errors: ["launch_not_found", "too_many_streams", "share_used", "streams_full"],
      handle({ request: { signal }, wallet, params, query: { wait }, address }) {
        const read = () => launches.status(wallet, params.eventId);
        if (wait === 0) return read();
        const isDone = ({ status }: LaunchStatus) => status !== "pending";
        const bounds = { waitMs: wait * 1000, signal };
        return events.until({ wallet, address }, bounds, { read, isDone });
      },
    }),
    endpoint({
      route: "POST /api/v1/tokens/launch/:eventId/transaction",
      id: "signLaunch",
      summary: "Sign a launch that the agent pays for",
      description:
        "Step 1, without a body: returns the launch's transaction and its cost, while the launch waits for `agent_signature`. Step 2, with `signedTransaction`: the service simulates it, adds the mint's signature and sends it; the status says how it ends. If the chain refuses it, the launch ends `failed` at once, and its ticker is free.",
      tag,
      body: json(LaunchTransactionRequestSchema),
      isBodyOptional: true,
      pausable: "launches",
      isLong: () => true,
      answer: Type.Union([PreparedLaunchSchema, LaunchAcceptedSchema]),
      errors: [
        "launch_not_found",
        "launch_mismatch",
        "launch_expired",
        "not_signable",
        "wallet_blocked",
        "launch_unaffordable",
        "launch_rate_limit",
        "launch_build_failed",
        "chain_unavailable",
        "wrong_cluster",
      ],
      handle: ({ wallet, params: { eventId }, body: { transactionVersion, signedTransaction } }) =>
        signedTransaction === undefined
          ? paid.prepare(wallet, eventId, transactionVersion)
          : paid.submit(wallet, eventId, signedTransaction),
    }),
    endpoint({
      route: "POST /api/v1/tokens/launch/:eventId/retry",
      id: "retryLaunch",
      summary: "Put a launch back in the queue",
      description:
        "Puts a launch that ended `failed` or `rate_limited` back in the queue, under the same event id; one that its agent pays for waits for its signature again. A launch never makes two tokens.",
      tag,
      takesAddress: true,
      answer: LaunchAcceptedSchema,
      errors: [
        "launch_not_found",
        "not_retryable",
        "agent_launch_limit",
        "launch_unaffordable",
        "launch_build_failed",
        "chain_unavailable",
        "wrong_cluster",
        ...INTAKE_ERRORS,
      ],
      handle: ({ wallet, params, address }) => launches.retry(wallet, params.eventId, address),
    }),
    endpoint({
      route: "POST /api/v1/tokens/launch/:eventId/cancel",
      id: "cancelLaunch",
      summary: "Cancel a pending launch",
      description:
        "Ends a launch unless its transaction is signed: it ends `failed`, and its ticker is free at once.",
      tag,
      answer: LaunchStatusSchema,
      errors: ["launch_not_found", "not_cancellable"],
      handle: ({ wallet, params }) => launches.cancel(wallet, params.eventId),
    }),
    endpoint({
      route: "GET /api/v1/tokens/launches",
      id: "listLaunches",
      summary: "List the agent's launches",
      description:
        "Returns the agent's launches, newest first: all of them or those with a status, whole or in pages of `limit`.",
      tag,
      query: { status: LAUNCH_STATUS, ...PAGE },
      answer: LaunchListSchema,
      errors: [],
      handle: ({ wallet, query: { status, ...page } }) => launches.list(wallet, status, page),
    }),
  ];
}

export function inviteEndpoints({ operator }: Store) {
  return [
    endpoint({
      route: "POST /api/v1/invites/redeem",
      id: "redeemInvite",
      summary: "Redeem an invite, so that the wallet may launch",
      description:
        "If the operator requires invites, a wallet redeems one before its first launch. A wallet that has redeemed one does not use up another.",
      tag: "Launches",
      body: json(RedeemRequestSchema),
      answer: RedeemedInviteSchema,
      errors: ["wallet_blocked", "invite_invalid"],
      async handle({ wallet, body }) {
        const outcome = await operator.redeem(wallet, inviteHash(body.code));
        if (outcome === "blocked") throw new ServiceError("wallet_blocked");
        if (outcome === "invalid") throw new ServiceError("invite_invalid");
        return { success: true, wasInvited: outcome === "known" };
      },
    }),
  ];
}
