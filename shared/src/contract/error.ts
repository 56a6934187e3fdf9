import { errorCodes } from "../error-codes.ts";
import { LaunchStatusNameSchema } from "./launch-status.ts";
import * as t from "./values.ts";

export const FieldErrorSchema = t.object("One field of a request that breaks the contract", {
  field: t.text("The field, parameter or header; `body` for the body as a whole", {
    examples: ["ticker"],
  }),
  message: t.text("What is wrong with it, in words", {
    examples: ["must be 2 to 10 characters of A-Z and 0-9"],
  }),
});

/** The machine-readable fields of a refused launch. */
export const refusalFacts = {
  requiredSOL: t.optional(
    t.sol("With `insufficient_sol` and `agent_balance_low`: SOL that the wallet needs"),
  ),
  balanceSOL: t.optional(t.sol("With the same codes: SOL that the wallet holds")),
  eventId: t.optional(
    t.uuid("With `ticker_taken`, if the agent's own launch has the ticker: its id"),
  ),
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
    message: t.optional(t.text("What to do next, or the request's id to quote")),
    oldestAfter: t.optional(
      t.whole("With `events_gone`: the oldest cursor after which events are kept"),
    ),
    ...refusalFacts,
  },
);
