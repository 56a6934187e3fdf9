import { limits } from "@tokenctl/shared/limits";
import { command } from "./command.ts";
import { AFTER, TOKEN } from "./common.ts";
import { number, required, text, whole } from "./field.ts";

const { events, feeThresholdSOL } = limits;

export const eventCommands = [
  command({
    name: "watch",
    help: "print events of launches, claims and tokens",
    effect: "writes",
    flags: {
      after: whole("start after this event; 0 for all stored events", 0, undefined, AFTER),
      count: whole("stop after this many events", 0),
      feesAbove: text("report a token's fees at this amount, or off", {
        flag: "--fees-above <sol>",
        pattern: "^(off|(?!0+(\\.0+)?$)\\d{1,7}(\\.\\d{1,9})?)$",
        rule: "an amount of SOL above 0, such as 1 or 0.25, or off",
      }),
    },
    examples: ["tokenctl watch", "tokenctl watch --fees-above 0.5"],
    run: async () => (await import("../commands/watch.ts")).watch,
  }),
  command({
    help: "list events of the wallet's launches and claims, oldest first",
    tool: {
      name: "list_events",
      set: "events",
      about:
        "Pass nextAfter as the next call's after, so that none is missed. With waitSeconds it waits for an event if there is none.",
      arguments: {
        after: whole("nextAfter of the previous call; default 0, for all", 0, undefined, {
          default: 0,
        }),
        limit: whole("maximum events; default 20", events.min, events.max, { default: 20 }),
        waitSeconds: whole("seconds to wait for an event; default 0", 0, 50, { default: 0 }),
      },
      result: "events",
    },
    run: async () => (await import("../commands/watch.ts")).listEvents,
  }),
  command({
    help: "read the fee thresholds",
    tool: { name: "get_fee_thresholds", set: "events", result: "thresholds" },
    run: async () => (await import("../commands/watch.ts")).feeThresholds,
  }),
  command({
    help: "set a fee threshold",
    effect: "writes",
    fields: {
      claimableSOL: required(number("SOL; 0 removes it", 0, feeThresholdSOL.max)),
      tokenMint: TOKEN,
    },
    tool: {
      name: "set_fee_threshold",
      set: "events",
      about:
        "list_events then reports (fees.claimable) that the claimable fees of any token, or of tokenMint, reached it.",
      result: "thresholds",
    },
    run: async () => (await import("../commands/watch.ts")).setFeeThreshold,
  }),
];
