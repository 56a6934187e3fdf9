import { command } from "./command.ts";
import { A_TOKEN, eitherTokenOr, PAGE, RPC_URL, WAITING, YES } from "./common.ts";
import { address, choice, flag, required, text, texts } from "./field.ts";

export const tokenCommands = [
  command({
    name: "tokens",
    help: "list the wallet's tokens, newest first",
    doing: "Reading the tokens",
    examples: ["tokenctl tokens", "tokenctl tokens --json | jq '.tokens[0]'"],
    tool: { name: "list_tokens", set: "tokens", arguments: PAGE, result: "tokens" },
    run: async () => (await import("../commands/tokens.ts")).tokens,
  }),
  command({
    name: "token",
    help: "show one of the wallet's tokens",
    doing: "Reading the token",
    operands: A_TOKEN,
    tool: { name: "get_token", set: "tokens", result: "token" },
    run: async () => (await import("../commands/tokens.ts")).token,
  }),
  command({
    name: "open",
    help: "open a token's page in the browser",
    operands: A_TOKEN,
    run: async () => (await import("../commands/tokens.ts")).open,
  }),
];

export const handOverCommands = [
  command({
    name: "hand-over",
    help: "give a token's fees to another wallet",
    effect: "irreversible",
    operands: A_TOKEN,
    fields: {
      to: required(address("the wallet that gets them", { flag: "--to <address>" })),
      leaveFees: flag("do not claim the open fees first"),
      force: flag("allow an address that is not a wallet"),
      yes: YES,
      rpcUrl: RPC_URL,
    },
    examples: ["tokenctl hand-over MINE --to 5oWZRuEhZZRLqpfGVuKGnQWHMuDvv3HaMU4orwe8yAq1"],
    unsettled: "It may still land: `tokenctl token` shows who has the fees",
    run: async () => (await import("../commands/hand-over.ts")).handOver,
  }),
  command({
    name: "accept",
    help: "accept a token that was handed over",
    effect: "writes",
    operands: { tokenMint: WAITING },
    flags: { list: flag("list the tokens that wait to be accepted") },
    unless: eitherTokenOr("list", "those that wait"),
    examples: ["tokenctl accept --list", "tokenctl accept MINE"],
    tool: {
      name: "accept_token",
      set: "tokens",
      about: "The other tools then show it, and its fees can be claimed.",
      arguments: { tokenMint: required(WAITING) },
      result: "token",
    },
    run: async () => (await import("../commands/hand-over.ts")).accept,
  }),
  command({
    help: "list the tokens that were handed over and wait to be accepted",
    tool: { name: "list_waiting_tokens", set: "tokens", result: "tokens" },
    run: async () => (await import("../commands/hand-over.ts")).accept,
  }),
  command({
    name: "decline",
    help: "decline a token that was handed over",
    effect: "writes",
    doing: "Declining",
    operands: { tokenMint: WAITING },
    flags: { all: flag("decline every token that waits to be accepted") },
    unless: eitherTokenOr("all", "every token that waits"),
    examples: ["tokenctl decline MINE", "tokenctl decline --all"],
    run: async () => (await import("../commands/hand-over.ts")).decline,
  }),
  command({
    name: "verify",
    help: "show what the chain says of a token",
    needs: "nothing",
    doing: "Reading the chain",
    operands: A_TOKEN,
    fields: {
      creator: address("fail unless this wallet is the creator", { flag: "--creator <address>" }),
      config: address("fail unless it was launched under this", { flag: "--config <address>" }),
      pool: address("its pool, if the node searches no accounts", { flag: "--pool <address>" }),
      atMost: texts("let a fact cost this much, such as curve_fees=20", {
        flag: "--at-most <fact=amount>",
      }),
    },
    flags: { rpcUrl: text("Solana node to ask") },
    examples: [
      "tokenctl verify MINE --rpc-url https://api.mainnet-beta.solana.com",
      'tokenctl verify "$MINT" --at-most curve_fees=20 --at-most leftover=5',
    ],
    tool: {
      name: "verify_token",
      set: "tokens",
      about:
        "It asks the Solana node of --rpc-url and not the service. A token that does not pass costs more than it should, or cannot be judged: tell the user what fails.",
      result: "proof",
    },
    run: async () => (await import("../commands/verify.ts")).verify,
  }),
  command({
    name: "explain",
    help: "say what a transaction does, by its bytes alone",
    needs: "nothing",
    operands: { file: required(text("in base64, base58 or bytes; - is stdin", { names: "file" })) },
    flags: { encoding: choice(["base64", "base58"], "of a text that is a transaction in both") },
    examples: ["tokenctl explain claim.txt", "tokenctl explain - < claim.txt"],
    run: async () => (await import("../commands/explain.ts")).explain,
  }),
];
