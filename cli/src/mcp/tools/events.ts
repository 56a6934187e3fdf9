import { Type } from "@sinclair/typebox";
import { limits } from "@tokenctl/shared/limits";
import { AgentEventListSchema } from "@tokenctl/shared/response-schemas";
import { READS, tool } from "../tool.ts";
import { strict } from "./fields.ts";

const DEFAULT_LIMIT = 20;

export const eventTools = [
  tool({
    name: "list_events",
    title: "List events",
    description:
      "Lists what has happened to this wallet's launches and claims, oldest first, after a cursor. Use nextAfter as the next call's after: so nothing is missed. With waitSeconds it waits for the next event if there is none.",
    toolset: "events",
    hints: READS,
    input: Type.Object(
      {
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            default: 0,
            description: "The nextAfter of the call before; 0 for all events that are kept",
          }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: limits.events.min,
            maximum: limits.events.max,
            default: DEFAULT_LIMIT,
            description: `Most events; default ${DEFAULT_LIMIT}`,
          }),
        ),
        waitSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 50,
            default: 0,
            description: "How long to wait for an event, in seconds; default 0",
          }),
        ),
      },
      strict,
    ),
    output: AgentEventListSchema,
    async run({ client }, { after = 0, limit = DEFAULT_LIMIT, waitSeconds = 0 }, { signal }) {
      const data = await client.eventList({ after, limit, waitSeconds, signal });
      return { text: `${data.events.length} events. Continue after ${data.nextAfter}.`, data };
    },
  }),
];
