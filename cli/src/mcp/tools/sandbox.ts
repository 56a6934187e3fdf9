import { type Static, type TObject, Type } from "@sinclair/typebox";
import {
  DevAirdropSchema,
  DevGraduationSchema,
  DevTradeSchema,
} from "@tokenctl/shared/contract/sandbox";
import { type Desk, toolsOf, WRITES } from "../tool.ts";
import { tokenMint } from "./fields.ts";

const operationId = Type.String({
  pattern: "^[!-~]{1,64}$",
  description: "Your name for this operation; repeating a name returns the first result",
  "x-rule": "must be a text of 1 to 64 visible ASCII characters",
});

const amount = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100_000,
  description: "SOL",
  "x-rule": "must be a number above 0 and up to 100000",
});

const tool = toolsOf("sandbox");

export const sandboxTools = [
  tool({
    name: "sandbox_airdrop",
    title: "Sandbox: get SOL",
    description: "Gives this wallet sandbox SOL for the network fees of claims. It has no value.",
    hints: WRITES,
    input: { operationId, sol: amount },
    output: DevAirdropSchema,
    async run(desk, input, { signal }) {
      const data = await once(desk, "airdrop", input, () =>
        desk.client.dev.airdrop({ sol: input.sol }, { signal }),
      );
      return { text: `${data.wallet} received ${data.sol} SOL.`, data };
    },
  }),
  tool({
    name: "sandbox_trade",
    title: "Sandbox: trade a token",
    description:
      "Makes the sandbox's trader buy or sell a token of this wallet, which earns the wallet a fee.",
    hints: WRITES,
    input: {
      operationId,
      tokenMint,
      side: Type.Union([Type.Literal("buy"), Type.Literal("sell")], {
        "x-rule": "must be buy or sell",
      }),
      sol: amount,
    },
    output: DevTradeSchema,
    async run(desk, input, { signal }) {
      const { tokenMint: mint, side, sol } = input;
      const data = await once(desk, "trade", input, () =>
        desk.client.dev.trade({ tokenMint: mint, side, sol }, { signal }),
      );
      return { text: `The trade earned ${data.creatorFeeSOL} SOL.`, data };
    },
  }),
  tool({
    name: "sandbox_graduate",
    title: "Sandbox: fill a curve",
    description: "Fills a token's bonding curve, so that the token migrates to the liquidity pool.",
    hints: WRITES,
    input: { operationId, tokenMint },
    output: DevGraduationSchema,
    async run(desk, input, { signal }) {
      const data = await once(desk, "graduate", input, () =>
        desk.client.dev.graduate({ tokenMint: input.tokenMint }, { signal }),
      );
      return { text: "The token has migrated to the liquidity pool.", data };
    },
  }),
];

/** The service would carry out a repeated request again. */
function once<T>(
  { once: memory }: Desk,
  kind: string,
  { operationId: name, ...content }: Static<TObject> & { operationId: string },
  operation: () => Promise<T>,
): Promise<T> {
  return memory.run(name, [kind, content], operation);
}
