import { limits } from "@tokenctl/shared/limits";
import { command } from "./command.ts";
import { A_TOKEN, OPERATION, WALLET } from "./common.ts";
import { choice, flag, required, sol } from "./field.ts";

const AMOUNT = { flag: "--sol <amount>" };
const { max } = limits.devSOL;

export const sandboxCommands = [
  command({
    name: "dev airdrop",
    help: "give a wallet SOL, which has no value there",
    effect: "writes",
    operands: { wallet: WALLET },
    fields: { sol: sol("how much", { ...AMOUNT, default: 1 }, max) },
    examples: ["tokenctl dev airdrop", "tokenctl dev airdrop --sol 10"],
    tool: {
      name: "sandbox_airdrop",
      set: "sandbox",
      about: "It pays for the network fees of claims.",
      arguments: OPERATION,
      result: "airdrop",
    },
    run: async () => (await import("../commands/dev.ts")).airdrop,
  }),
  command({
    name: "dev trade",
    help: "buy or sell a token, which earns its agent fees",
    effect: "writes",
    operands: A_TOKEN,
    fields: { sol: required(sol("SOL to spend, or of a sale to receive", AMOUNT, max)) },
    flags: { sell: flag("sell instead of buying") },
    examples: ["tokenctl dev trade MINE --sol 2.5", "tokenctl dev trade MINE --sol 1 --sell"],
    tool: {
      name: "sandbox_trade",
      set: "sandbox",
      arguments: { ...OPERATION, side: required(choice(["buy", "sell"], "what the trader does")) },
      result: "trade",
    },
    run: async () => (await import("../commands/dev.ts")).trade,
  }),
  command({
    name: "dev graduate",
    help: "fill a token's curve, so that it migrates",
    effect: "writes",
    doing: "Filling the curve",
    operands: A_TOKEN,
    tool: {
      name: "sandbox_graduate",
      set: "sandbox",
      arguments: OPERATION,
      result: "graduation",
    },
    run: async () => (await import("../commands/dev.ts")).graduate,
  }),
];
