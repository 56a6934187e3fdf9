import { LaunchAcceptedSchema, LaunchStatusSchema } from "@tokenctl/shared/response-schemas";
import { LaunchRequestSchema } from "@tokenctl/shared/schemas";
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import { operation } from "../../http/openapi.ts";
import { parser, validationError } from "../../http/validation.ts";
import type { LaunchService } from "./service.ts";

const parseLaunch = parser(LaunchRequestSchema);

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
  "address_queue_share",
  "daily_budget_spent",
  "queue_full",
] as const;

/** 1 to 255 characters of visible ASCII. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** @param addressOf returns a request's network address, or null if no limit counts addresses */
export function launchRoutes(
  launches: LaunchService,
  bearer: ReturnType<typeof bearerPlugin>,
  addressOf: (request: Request) => string | null,
) {
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
        summary: "Launch a token",
        tag: "Launches",
        body: LaunchRequestSchema,
        answer: LaunchAcceptedSchema,
        errors: [
          ...(["agent_launch_limit", "idempotency_mismatch", "register_failed"] as const),
          ...(["invite_invalid", ...INTAKE_ERRORS] as const),
        ],
      }),
    )
    .get(
      "/status/:eventId",
      ({ wallet, params }) => launches.status(wallet, params.eventId),
      operation({
        summary: "Read the status of a launch",
        tag: "Launches",
        answer: LaunchStatusSchema,
        errors: ["launch_not_found"],
      }),
    )
    .post(
      "/:eventId/retry",
      ({ request, wallet, params }) => launches.retry(wallet, params.eventId, addressOf(request)),
      operation({
        summary: "Put a launch that ended failed or rate_limited back in the queue",
        tag: "Launches",
        answer: LaunchAcceptedSchema,
        errors: ["launch_not_found", "not_retryable", ...INTAKE_ERRORS],
      }),
    );
}

function idempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key;
  throw validationError([
    { field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" },
  ]);
}
