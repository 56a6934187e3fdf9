import { limits } from "../limits.ts";
import * as t from "./values.ts";

export const AgentEventTypeSchema = t.openChoice(
  [
    "launch.succeeded",
    "launch.failed",
    "launch.rate_limited",
    "claim.confirmed",
    "claim.expired",
    "token.migrated",
    "token.handed_over",
    "fees.claimable",
  ],
  "What happened: a launch made a token or ended without one; a signed claim paid, or expired without paying; a token left the bonding curve, or went to another wallet; a token's fees reached the agent's threshold",
);

export const AgentEventDataSchema = t.object("What the event is about", {
  eventId: t.uuid("The token's launch; UUID v4"),
  ticker: t.ticker,
  tokenMint: t.nullable(t.address(), "The token's mint address; null if the launch has no token"),
  tokenMints: t.list(
    t.address(),
    "All tokens of the event: several if a claim covered several tokens",
  ),
  transactionHash: t.nullable(
    t.signature(),
    "The transaction of the claim or of the successful launch; otherwise null",
  ),
  payer: t.optional(t.field(t.payer, "Of a launch's event: present if the agent pays for it")),
  costSOL: t.optional(
    t.sol(
      "With `payer`: what the launch cost the agent, in SOL; of a failed one the network fee, if its transaction landed",
    ),
  ),
});

export const AgentEventSchema = t.object(
  "Something that happened to a launch or a token of the agent",
  {
    id: t.whole("1, 2, 3 … per agent, in the order of the events", { minimum: 1 }),
    type: AgentEventTypeSchema,
    timestamp: t.timestamp("When it happened; ISO-8601 in UTC"),
    data: AgentEventDataSchema,
  },
);

export const AgentEventListSchema = t.object("Events of the agent", {
  events: t.list(AgentEventSchema, "Oldest first"),
  nextAfter: t.whole("The `after` of the next request"),
});

export const StreamEndReasonSchema = t.choice(
  ["token_expired", "server_stopping", "unavailable", "events_gone"],
  "Why the server ended a stream of events",
);

export const AgentEventStreamSchema = t.text(
  "Server-Sent Events. Each event of the agent has its number as `id`, its type as `event`, and as `data` the JSON that the list of events has. `stream.open` comes first, with the cursor as `id`; `stream.end` comes last, with the `reason` why the server ends the stream: `token_expired`, `server_stopping`, `unavailable` or `events_gone`. Comments keep the connection open.",
);

export const FeeThresholdRequestSchema = t.fields({
  claimableSOL: t.positiveSol(
    "The claimable SOL that triggers the event",
    limits.feeThresholdSOL.max,
  ),
});

export const FeeThresholdSchema = t.object(
  "The claimable fees of a token that trigger a `fees.claimable` event",
  {
    claimableSOL: t.nullable(
      t.sol(),
      "Claimable fees of one token, both kinds together, in SOL; null if there is no threshold",
    ),
  },
);
