import { Type } from "@sinclair/typebox";
import { FieldErrorSchema, refusalFacts } from "./error.ts";
import { FeeScheduleSchema } from "./token.ts";
import * as t from "./values.ts";

export const LaunchRefusalCodeSchema = t.openChoice(
  [
    "validation_failed",
    "paused",
    "agent_balance_low",
    "wallet_blocked",
    "not_on_allowlist",
    "invite_required",
    "invite_invalid",
    "agent_launch_limit",
    "address_launch_limit",
    "share_used",
    "launch_rate_limit",
    "daily_budget_spent",
    "queue_full",
    "ticker_taken",
  ],
  "The `code` that the launch would return",
);

export const LaunchRefusalSchema = t.object(
  "The error that the launch would return: its body and its `Retry-After`",
  {
    code: LaunchRefusalCodeSchema,
    error: t.text("Its `error`, for people", { minLength: 1 }),
    details: t.optional(t.list(FieldErrorSchema, "With `validation_failed`: what is wrong")),
    message: t.optional(t.text("What to do next")),
    retryAfterSeconds: t.optional(t.whole("Its `Retry-After`, in seconds")),
    ...refusalFacts,
  },
);

const count = Type.Integer({ minimum: 0 });

export const ChainPaceSchema = t.object("The chain's own figures; absent until they are known", {
  secondsPerBlock: t.nullable(Type.Number({ minimum: 0 }), "Null until it is measured"),
  secondsToLand: t.nullable(
    count,
    "Seconds for which a new transaction can land; null until measured",
  ),
  lamportsPerByte: t.whole("Lamports that an account holds for each byte"),
});

export const LaunchCheckSchema = t.object("What would happen to a launch that is sent now", {
  ok: t.flag("Whether nothing speaks against it: no refusal, and `endsAs` is null"),
  refusals: t.list(
    LaunchRefusalSchema,
    "Each reason to refuse the launch; the launch itself returns the first",
  ),
  endsAs: t.nullable(
    t.fields({
      status: Type.Literal("rate_limited", { description: "Its status" }),
      error: t.text("Its `error`, in words"),
    }),
    "How the launch would end if it were accepted; null if that is not known",
  ),
  ticker: t.nullable(
    t.fields({
      isFree: t.flag("Whether no launch has it"),
      freeAt: t.nullable(
        t.timestamp(),
        "When the agent's own launch, which ended without a token, loses it; otherwise null",
      ),
      retryEventId: t.nullable(t.uuid(), "That launch, which can be retried; otherwise null"),
    }),
    "Null if the request has no valid ticker",
  ),
  agent: t.object("What the agent has launched in this UTC day, and still may", {
    hasLaunchedToday: t.flag("Whether the agent's one token of this UTC day is on chain already"),
    waiting: t.whole(
      "The agent's pending launches; once one succeeds today, later ones end `rate_limited`",
    ),
    accepted: t.whole("Launches that were accepted in this UTC day"),
    limit: t.nullable(count, "How many are accepted in a day; null without a limit"),
    left: t.nullable(count, "How many more are accepted; null without a limit"),
  }),
  address: t.nullable(
    t.fields({
      limit: t.nullable(count, "Launches that it may make in a UTC day; null without a limit"),
      maxWaiting: t.nullable(count, "Launches of it that may wait; null without a limit"),
    }),
    "What a network address may launch; null if launches are not limited by address",
  ),
  quotasReturnAt: t.timestamp("When the day's quotas start again: the next 00:00 UTC"),
  queue: t.object("The launches of all agents that wait", {
    depth: t.whole("Launches that wait"),
    place: t.whole("The place that a new one would get, 1 for the next"),
    limit: t.nullable(count, "How many may wait; null without a limit"),
  }),
  service: t.object("While it is not `ok`, what is accepted waits", {
    ok: t.flag("Whether launches are worked on"),
    message: t.nullable(t.string, "What is down and what to do about it; otherwise null"),
  }),
  onChain: t.nullable(
    t.fields({
      name: t.text("The name, cut to 32 bytes of UTF-8"),
      symbol: t.text("The ticker"),
    }),
    "What goes on chain; null if name or ticker is not valid",
  ),
  fees: t.nullable(FeeScheduleSchema, "Null if the server cannot read its config now"),
  expectedSeconds: t.nullable(
    count,
    "Seconds until the token is on chain, as the median of the last day's launches; null if there were none",
  ),
  pace: t.optional(ChainPaceSchema),
});
