import { Type } from "@sinclair/typebox";
import type { FeeThresholdList } from "@tokenctl/sdk";
import { AgentEventListSchema, FeeThresholdListSchema } from "@tokenctl/shared/contract/event";
import { limits } from "@tokenctl/shared/limits";
import { toolsOf, WRITES } from "../tool.ts";
import { DEFAULT_LIMIT, tokenMint, whole } from "./fields.ts";

const tool = toolsOf("events");

export const eventTools = [
  tool({
    name: "list_events",
    title: "List events",
    description:
      "Lists events of this wallet's launches and claims after a cursor, oldest first. Pass nextAfter as the next call's after, so that none is missed. With waitSeconds it waits for an event if there is none.",
    input: {
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          default: 0,
          description: "The nextAfter of the previous call; 0 for all stored events",
          "x-rule": "must be a whole number from 0",
        }),
      ),
      limit: whole("Maximum events", limits.events.min, limits.events.max, DEFAULT_LIMIT),
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
    description: "Reads the claimable SOL at which list_events reports a token's fees.",
    input: {},
    output: FeeThresholdListSchema,
    run: async ({ client }, _input, { signal }) =>
      thresholdsOf(await client.feeThresholds({ signal })),
  }),
  tool({
    name: "set_fee_threshold",
    title: "Set a fee threshold",
    description:
      "Makes list_events report (fees.claimable) when the claimable fees of any token, or of tokenMint, reach an amount. 0 removes the threshold.",
    hints: WRITES,
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
