import { errorCodes } from "../error-codes.ts";
import { LaunchStatusNameSchema } from "./launch-status.ts";
import * as t from "./values.ts";

export const FieldErrorSchema = t.object("A field of a request that breaks the contract", {
  field: t.text("The field, parameter or header; `body` for the body as a whole", {
    examples: ["ticker"],
  }),
  message: t.text("What is wrong with it, in words", {
    examples: ["must be 2 to 10 characters of A-Z and 0-9"],
  }),
});

export const refusalFacts = {
  requiredSOL: t.optional(
    t.sol(
      "With `insufficient_sol`, `launch_unaffordable` and `agent_balance_low`: SOL that the wallet needs",
    ),
  ),
  balanceSOL: t.optional(t.sol("With the same codes: SOL that the wallet holds")),
  eventId: t.optional(t.uuid("With `ticker_taken`: the agent's own launch, if it has the ticker")),
  status: t.optional(t.open(t.field(LaunchStatusNameSchema, "That launch's status"))),
};

export const ErrorBodySchema = t.object(
  "The body of every answer outside 2xx; the health endpoint's 503 also has the fields of `Health`",
  {
    error: t.text("What went wrong, for people", { minLength: 1 }),
    code: t.text("What went wrong, for programs", {
      pattern: `^(${Object.keys(errorCodes).join("|")})$`,
    }),
    details: t.optional(t.list(FieldErrorSchema, "The parts of the request that are wrong")),
    message: t.optional(t.text("What to do next, or the request's id for the server's operator")),
    oldestAfter: t.optional(
      t.whole("With `events_gone`: the oldest cursor after which all events are stored"),
    ),
    ...refusalFacts,
  },
);
