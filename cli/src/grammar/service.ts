import { limits } from "@tokenctl/shared/limits";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { chooseReceivers, namesOf } from "../claim-terms.ts";
import { CliError } from "../errors.ts";
import { solText, tokenText, venue } from "../format.ts";
import type { ModelLimits } from "../mcp/model-limits.ts";
import { command } from "./command.ts";
import { A_TOKEN, OPERATION, WALLET } from "./common.ts";
import { choice, flag, required, sol } from "./field.ts";

export const serviceCommands = [
  command({
    help: "read what this MCP server may do",
    tool: {
      name: "get_policy",
      set: "status",
      about:
        "Its wallet, service and tools, what is left of the day's launches and of the cost of claims, whom claims pay, and whether this client's user is asked first.",
      result: "policy",
    },
    async run(desk) {
      const { canAsk, client, settings, signal } = desk;
      const limits = desk.model as ModelLimits;
      const { budget, guards, launches, offered, payments } = limits;
      const network = await desk.network().catch(() => undefined);
      const isAllowed = await limits.checkChain(false, signal).then(
        () => true,
        () => false,
      );
      const today = isAllowed ? await launches.today(signal).catch(() => null) : null;
      const left = today === null ? null : Math.max(0, launches.limit - today.size);
      const isRefused = guards.confirm && !canAsk;
      const may = guards.readOnly
        ? "no launches"
        : isRefused
          ? "no launches and no claims, because this client cannot ask its user and --no-confirm is not set"
          : `${left ?? "an unknown number of"} launches left today (UTC)`;
      const payout = chooseReceivers(settings, client.address);
      const data = {
        wallet: client.address,
        apiUrl: client.apiUrl,
        network,
        readOnly: guards.readOnly,
        tools: offered,
        allowMainnet: guards.allowMainnet,
        asksUser: guards.confirm && canAsk,
        needsUser: guards.confirm,
        launches: {
          maxPerDay: launches.limit,
          today: today && [...today],
          left: guards.readOnly || isRefused ? 0 : left,
          maxCostSOL: payments && formatSol(solToLamports(payments.maxCostSOL)),
        },
        claimFeesLeftSOL: formatSol(budget.left),
        claimsPay: payout ? namesOf(payout) : client.address,
      };
      const is = isAllowed ? "allowed" : "not allowed";
      return { data, says: `Wallet ${client.address} at ${client.apiUrl}, ${is}: ${may}.` };
    },
  }),
  command({
    name: "health",
    help: "check that the server works; needs no wallet",
    needs: "server",
    examples: ["tokenctl health --api-url https://…"],
    tool: {
      name: "get_health",
      set: "status",
      about: "It says what is down, and which chain the service uses.",
      result: "health",
    },
    async run({ client, signal }) {
      // Only an operator can act on this message, so agents and models do not get it.
      const { operatorMessage: _, ...data } = await client.health({ signal });
      const { ok, message = "The server is unhealthy" } = data;
      const hint = "Contact the server's operator, or look at the server's log";
      return {
        data,
        fields: [
          ["Server", ok ? { text: "ok", colour: "green" } : { text: "unhealthy", colour: "red" }],
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
    tool: {
      name: "sandbox_airdrop",
      set: "sandbox",
      about: "It pays for the network fees of claims.",
      arguments: OPERATION,
      result: "airdrop",
    },
    async run({ client, notices, signal }, { wallet, sol = 1 }) {
      notices.progress(`Airdropping ${solText(sol)}`);
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
    tool: {
      name: "sandbox_trade",
      set: "sandbox",
      arguments: { ...OPERATION, side: required(choice(["buy", "sell"], "what the trader does")) },
      result: "trade",
    },
    async run({ client, notices, signal }, { tokenMint, sol, sell, side = sell ? "sell" : "buy" }) {
      notices.progress(`Trading ${solText(sol)}`);
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
    doing: "Filling the curve",
    operands: A_TOKEN,
    tool: {
      name: "sandbox_graduate",
      set: "sandbox",
      arguments: OPERATION,
      result: "graduation",
    },
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
