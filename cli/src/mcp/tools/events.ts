import { Type } from "@sinclair/typebox";
import type { FeeThresholdList } from "@tokenctl/sdk";
import { AgentEventListSchema, FeeThresholdListSchema } from "@tokenctl/shared/contract/event";
import { limits } from "@tokenctl/shared/limits";
import { READS, tool } from "../tool.ts";
import { DEFAULT_LIMIT, tokenMint, whole } from "./fields.ts";

export const eventTools = [
  tool({
    name: "list_events",
    title: "List events",
    description:
      "Lists what has happened to this wallet's launches and claims, oldest first, after a cursor. Use nextAfter as the next call's after: so nothing is missed. With waitSeconds it waits for the next event if there is none.",
    toolset: "events",
    hints: READS,
    input: {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          default: 0,
          description: "The nextAfter of the call before; 0 for all events that are kept",
          "x-rule": "must be a whole number from 0",
        }),
      ),
      limit: whole("Most events", limits.events.min, limits.events.max, DEFAULT_LIMIT),
      waitSeconds: whole("Seconds to wait for an event", 0, 50, 0),
    },
    output: AgentEventListSchema,
    async run({ client }, { after = 0, limit = DEFAULT_LIMIT, waitSeconds = 0 }, { signal }) {
      const data = await client.eventList({ after, limit, waitSeconds, signal });
      return { text: `${data.events.length} events. Continue after ${data.nextAfter}.`, data };
    },
  }),
  tool({
    name: "get_fee_thresholds",
    title: "Read fee thresholds",
    description: "Reads from how much claimable SOL on list_events tells of fees.",
    toolset: "events",
    hints: READS,
    input: {},
    output: FeeThresholdListSchema,
    run: async ({ client }, _input, { signal }) =>
      thresholdsOf(await client.feeThresholds({ signal })),
  }),
  tool({
    name: "set_fee_threshold",
    title: "Set a fee threshold",
    description:
      "Has list_events tell once a token has this much to claim (fees.claimable): any token, or with tokenMint this one. 0 removes the threshold.",
    toolset: "events",
    hints: { ...READS, readOnlyHint: false },
    input: {
      claimableSOL: Type.Number({
        minimum: 0,
        maximum: limits.feeThresholdSOL.max,
        description: "SOL with at most nine decimals; 0 for none",
        "x-rule": `must be a number from 0 to ${limits.feeThresholdSOL.max}`,
      }),
      tokenMint: Type.Optional(tokenMint),
    },
    output: FeeThresholdListSchema,
    async run({ client }, { claimableSOL, tokenMint: mint }, { signal }) {
      const request =
        claimableSOL === 0
          ? client.deleteFeeThreshold({ tokenMint: mint }, { signal })
          : client.setFeeThreshold({ claimableSOL, tokenMint: mint }, { signal });
      return thresholdsOf(await request);
    },
  }),
];

const thresholdsOf = (data: FeeThresholdList) => ({
  text: `${data.thresholds.length} thresholds.`,
  data,
});
