import { limits } from "@tokenctl/shared/limits";
import { solToLamports } from "@tokenctl/shared/sol";
import { CliError } from "../errors.ts";
import { solText, tokenText, venue } from "../format.ts";
import { command } from "./command.ts";
import { A_TOKEN, WALLET } from "./common.ts";
import { flag, required, sol } from "./field.ts";

export const serviceCommands = [
  command({
    name: "health",
    help: "check that the server works; needs no wallet",
    needs: "server",
    examples: ["tokenctl health --api-url https://…"],
    tool: { name: "get_health", about: "It says what is down, and which chain the service uses." },
    async run({ client, signal }) {
      // Only an operator can act on this message, so agents and models do not get it.
      const { operatorMessage: _, ...data } = await client.health({ signal });
      const { ok, message = "The server is unhealthy" } = data;
      const hint = "Contact the server's operator, or look at the server's log";
      return {
        data,
        fields: [
          ["Server", ok ? "ok" : "unhealthy"],
          ["Database", data.db],
          ["Network", data.network],
          ["Time", data.timestamp],
          ["Message", data.message],
        ],
        says: "The service works.",
        failure: ok ? undefined : new CliError("unhealthy", message, { hint }),
      };
    },
  }),
];

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
    async run({ client, notices, signal }, { wallet, sol = 1 }) {
      notices.notice(`Airdropping ${solText(sol)}`);
      const data = await client.dev.airdrop({ sol, wallet }, { signal });
      return {
        data,
        fields: [
          ["Airdropped", solToLamports(data.sol)],
          ["Wallet", data.wallet],
          ["Transaction", data.signature],
        ],
      };
    },
  }),
  command({
    name: "dev trade",
    help: "buy or sell a token, which earns its agent fees",
    effect: "writes",
    operands: A_TOKEN,
    fields: { sol: required(sol("SOL to spend, or of a sale to receive", AMOUNT, max)) },
    flags: { sell: flag("sell instead of buying") },
    examples: ["tokenctl dev trade MINE --sol 2.5", "tokenctl dev trade MINE --sol 1 --sell"],
    async run({ client, notices, signal }, { tokenMint, sol, sell }) {
      notices.notice(`Trading ${solText(sol)}`);
      const side = sell ? "sell" : "buy";
      const data = await client.dev.trade({ tokenMint, side, sol }, { signal });
      const isBuy = data.side === "buy";
      return {
        data,
        fields: [
          [isBuy ? "Bought" : "Sold", tokenText(data.tokens)],
          [isBuy ? "Paid" : "Worth", solToLamports(data.sol)],
          ["Creator fee", solToLamports(data.creatorFeeSOL)],
          ["Trades on", venue(data)],
          ["Transaction", data.signature],
        ],
      };
    },
  }),
  command({
    name: "dev graduate",
    help: "fill a token's curve, so that it migrates",
    effect: "writes",
    operands: A_TOKEN,
    async run({ client, signal }, { tokenMint }) {
      const data = await client.dev.graduate({ tokenMint }, { signal });
      return {
        data,
        fields: [
          ["Trades on", venue(data)],
          ["Transaction", data.signature],
        ],
      };
    },
  }),
];
