import { Type } from "@sinclair/typebox";
import { FieldErrorSchema, refusalFacts } from "./error.ts";
import { LaunchCostSchema } from "./launch.ts";
import { CurveKnotSchema } from "./market.ts";
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
    "launch_unaffordable",
    "launch_build_failed",
    "chain_unavailable",
    "wrong_cluster",
  ],
  "The `code` that the launch would return",
);

export const LaunchRefusalSchema = t.object(
  "The error that the launch would return: its body and its `Retry-After`",
  {
    code: LaunchRefusalCodeSchema,
    error: t.text("Its `error`, for people", { minLength: 1 }),
    details: t.optional(t.list(FieldErrorSchema, "With `validation_failed`: the invalid fields")),
    message: t.optional(t.text("What to do next")),
    retryAfterSeconds: t.optional(t.whole("Its `Retry-After`, in seconds")),
    ...refusalFacts,
  },
);

const count = Type.Integer({ minimum: 0 });

export const ChainPaceSchema = t.object(
  "The chain's measured figures; absent until they are known",
  {
    secondsPerBlock: t.nullable(Type.Number({ minimum: 0 }), "Null until it is measured"),
    secondsToLand: t.nullable(
      count,
      "Seconds within which a new transaction can land; null until it is measured",
    ),
    lamportsPerByte: t.whole("Lamports of rent per byte of an account"),
  },
);

export const LaunchCheckSchema = t.object("How a launch would end if it were sent now", {
  ok: t.flag(
    "Whether nothing prevents it: there are no refusals, and `endsAs` is null. A launch that its agent pays for was simulated",
  ),
  refusals: t.list(
    LaunchRefusalSchema,
    "Every reason to refuse the launch; the launch itself returns the first",
  ),
  endsAs: t.nullable(
    t.fields({
      status: Type.Literal("rate_limited", { description: "Its status" }),
      error: t.text("Its `error`, in words"),
    }),
    "How an accepted launch would end, if that is already certain; otherwise null",
  ),
  ticker: t.nullable(
    t.fields({
      isFree: t.flag("Whether it is free"),
      freeAt: t.nullable(
        t.timestamp(),
        "When the agent's own launch, which ended without a token, releases it; otherwise null",
      ),
      retryEventId: t.nullable(
        t.uuid(),
        "The id of that launch, which can be retried; otherwise null",
      ),
    }),
    "Null if the request has no valid ticker",
  ),
  agent: t.object("The agent's launches in this UTC day", {
    hasLaunchedToday: t.flag("Whether the agent's one token of this UTC day is already on chain"),
    waiting: t.whole(
      "The agent's pending launches; once one succeeds today, later ones end `rate_limited`",
    ),
    accepted: t.whole("Launches accepted in this UTC day"),
    limit: t.nullable(count, "Launches accepted per day; null without a limit"),
    left: t.nullable(count, "Launches that are still accepted today; null without a limit"),
  }),
  address: t.nullable(
    t.fields({
      limit: t.nullable(count, "Launches per UTC day; null without a limit"),
      maxWaiting: t.nullable(count, "Launches that may wait at once; null without a limit"),
    }),
    "The limits of a network address; null if there are none",
  ),
  quotasReturnAt: t.timestamp("When the day's quotas are reset: the next 00:00 UTC"),
  queue: t.object("The waiting launches of all agents", {
    depth: t.whole("Waiting launches"),
    place: t.whole("The place of a new launch, 1 for the next"),
    limit: t.nullable(count, "Maximum waiting launches; null without a limit"),
  }),
  service: t.object("The state of the service; while it is not `ok`, accepted launches wait", {
    ok: t.flag("Whether launches make progress"),
    message: t.nullable(t.string, "What is down and what to do about it; otherwise null"),
  }),
  onChain: t.nullable(
    t.fields({
      name: t.text("The name, cut to 32 bytes of UTF-8"),
      symbol: t.text("The ticker"),
    }),
    "What goes on chain; null if the name or ticker is not valid",
  ),
  warnings: t.optional(
    t.list(
      t.text("A sentence"),
      "Present if people may take the token for another one: its page would say the same",
    ),
  ),
  fees: t.nullable(
    FeeScheduleSchema,
    "The fees of trades; null if the server cannot read them now",
  ),
  curve: t.optional(
    t.list(
      CurveKnotSchema,
      "The bonding curve that the token would be sold on, as that of a market; absent if the server cannot read it now",
    ),
  ),
  expectedSeconds: t.nullable(
    count,
    "Seconds until the token is on chain: the median of the last day's launches; null if there were none",
  ),
  pace: t.optional(ChainPaceSchema),
  payment: t.optional(
    t.nullable(
      t.fields({
        costSOL: LaunchCostSchema,
        requiredSOL: t.sol("What its wallet must hold, with what it must keep, in SOL"),
        balanceSOL: t.sol("What its wallet holds, in SOL"),
        canPay: t.flag("Whether that is enough"),
        config: t.nullable(
          t.address(),
          "The launchpad's config that the launch would be under; null on a sandbox or if unknown",
        ),
      }),
      "What the launch costs the agent, at the highest network fee; present if the agent pays, null if the server cannot read it now",
    ),
  ),
});
