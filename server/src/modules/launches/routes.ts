import { LaunchAcceptedSchema, LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { LaunchListSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { limits } from "@tokenctl/shared/limits";
import type { LaunchStatus, LaunchStatusName } from "@tokenctl/shared/types";
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import type { CurrentServer } from "../../http/listen.ts";
import { longAnswer } from "../../http/long-answer.ts";
import { operation } from "../../http/openapi.ts";
import { parsePage, parseWhole } from "../../http/paging.ts";
import { parser, partialParser, validationError } from "../../http/validation.ts";
import type { LaunchChecker } from "./check.ts";
import type { LaunchService } from "./service.ts";

const parseLaunch = parser(LaunchRequestSchema);
const readFields = partialParser(LaunchRequestSchema);

/** Why neither a launch nor a retry is put in the queue. */
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

const STATUSES: readonly string[] = [
  "pending",
  "success",
  "failed",
  "rate_limited",
] satisfies LaunchStatusName[];

/** 1 to 255 characters of visible ASCII. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export interface LaunchRouteDeps {
  readonly launches: LaunchService;
  readonly checker: LaunchChecker;
  /** Reads a launch again after each event of its agent. */
  readonly events: {
    until(
      client: { readonly wallet: string; readonly address: string | null },
      bounds: { readonly waitMs: number; readonly signal: AbortSignal },
      read: () => Promise<LaunchStatus>,
      isDone: (launch: LaunchStatus) => boolean,
    ): Promise<LaunchStatus>;
  };
  readonly bearer: ReturnType<typeof bearerPlugin>;
  /** Returns a request's network address, or null if no limit counts addresses. */
  readonly addressOf: (request: Request) => string | null;
  readonly server: CurrentServer;
}

export function launchRoutes(deps: LaunchRouteDeps) {
  const { launches, checker, events, bearer, addressOf, server } = deps;
  return new Elysia({ prefix: "/api/v1/tokens/launch" })
    .use(bearer)
    .post(
      "/",
      async ({ request, wallet }) => {
        // Before the body is read: a closed connection has no address any more.
        const address = addressOf(request);
        const launch = parseLaunch(await readJson(request));
        return launches.register(wallet, launch, idempotencyKey(request), address);
      },
      operation({
        id: "launchToken",
        summary: "Launch a token",
        description:
          "Stores the launch and puts it in the queue; the token is not on the chain yet. Poll `getLaunchStatus` every 5 to 10 seconds until it is `success` or `failed`. Each agent gets one token a UTC day: a second launch is accepted and ends `rate_limited`.",
        headers: ["Idempotency-Key"],
        tag: "Launches",
        body: LaunchRequestSchema,
        answer: LaunchAcceptedSchema,
        errors: [
          ...(["agent_launch_limit", "idempotency_mismatch", "register_failed"] as const),
          ...(["invite_invalid", ...INTAKE_ERRORS] as const),
        ],
      }),
    )
    .post(
      "/check",
      async ({ request, wallet }) => {
        const address = addressOf(request);
        return checker.check(wallet, readFields(await readJson(request)), address);
      },
      operation({
        id: "checkLaunch",
        summary: "Read what would become of a launch",
        description:
          "Takes the body of `launchToken`, and returns everything that stands in its way at once. It changes nothing and reserves nothing.",
        tag: "Launches",
        body: LaunchRequestSchema,
        answer: LaunchCheckSchema,
        errors: [],
      }),
    )
    .get(
      "/status/:eventId",
      ({ request, wallet, params, query }) => {
        const wait = parseWhole("wait", query.wait, limits.eventWait, 0);
        const read = () => launches.status(wallet, params.eventId);
        if (wait === 0) return read();
        const client = { wallet, address: addressOf(request) };
        const bounds = { waitMs: wait * 1000, signal: request.signal };
        const hasEnded = ({ status }: LaunchStatus) => status !== "pending";
        return longAnswer(server(), request, () => events.until(client, bounds, read, hasEnded));
      },
      operation({
        id: "getLaunchStatus",
        summary: "Read the status of a launch",
        description:
          "Returns where the launch stands; with `wait` once it has ended, or that much later. `success` comes with the token's mint and pool, `failed` and `rate_limited` with the reason in `error`.",
        tag: "Launches",
        query: ["launchWait"],
        answer: LaunchStatusSchema,
        errors: ["launch_not_found", "too_many_streams", "share_used", "streams_full"],
      }),
    )
    .post(
      "/:eventId/retry",
      ({ request, wallet, params }) => launches.retry(wallet, params.eventId, addressOf(request)),
      operation({
        id: "retryLaunch",
        summary: "Put a launch back in the queue",
        description:
          "Puts a launch that ended `failed` or `rate_limited` back in the queue, under the same event id. A launch never makes two tokens.",
        tag: "Launches",
        answer: LaunchAcceptedSchema,
        errors: ["launch_not_found", "not_retryable", ...INTAKE_ERRORS],
      }),
    )
    .post(
      "/:eventId/cancel",
      ({ wallet, params }) => launches.cancel(wallet, params.eventId),
      operation({
        id: "cancelLaunch",
        summary: "Cancel a pending launch",
        description:
          "Ends a launch of which nothing was signed yet: it ends `failed`, and its ticker is free at once.",
        tag: "Launches",
        answer: LaunchStatusSchema,
        errors: ["launch_not_found", "not_cancellable"],
      }),
    );
}

/** The list of launches, whose path is not under that of the others. */
export function launchListRoute(launches: LaunchService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1/tokens" }).use(bearer).get(
    "/launches",
    ({ wallet, query }) => launches.list(wallet, parseStatus(query.status), parsePage(query)),
    operation({
      id: "listLaunches",
      summary: "List the agent's launches",
      description:
        "Returns the agent's launches, newest first: all of them or those with a status, whole or in pages of `limit`.",
      tag: "Launches",
      query: ["status", "limit", "cursor"],
      answer: LaunchListSchema,
      errors: [],
    }),
  );
}

/** @throws {ServiceError} 400 if it is no status of a launch */
function parseStatus(status: string | undefined): LaunchStatusName | null {
  if (status === undefined) return null;
  if (STATUSES.includes(status)) return status as LaunchStatusName;
  throw validationError([{ field: "status", message: `must be one of ${STATUSES.join(", ")}` }]);
}

function idempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key;
  throw validationError([
    { field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" },
  ]);
}
