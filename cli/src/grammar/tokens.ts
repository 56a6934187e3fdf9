import type { Token } from "@tokenctl/sdk";
import { type ColumnOf, type Desk, rowsOf } from "../desk.ts";
import { second } from "../format.ts";
import { pageOf } from "../network.ts";
import { command } from "./command.ts";
import { A_TOKEN, PAGE } from "./common.ts";
import { address, required, text, texts } from "./field.ts";

const COLUMNS: readonly ColumnOf<Token>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["NAME", ({ tokenName }) => tokenName, "end"],
  ["MINT", ({ tokenMint }) => tokenMint, "middle"],
  ["DEPLOYED", ({ deployedAt }) => second(deployedAt)],
  ["CLAIMED", ({ claimedAt }) => (claimedAt === null ? "never" : second(claimedAt))],
];

export const tokenCommands = [
  command({
    name: "tokens",
    help: "list the wallet's tokens, newest first",
    examples: ["tokenctl tokens", "tokenctl tokens --json | jq '.tokens[0]'"],
    tool: { name: "list_tokens", arguments: PAGE },
    async run({ client, signal }, page) {
      const data = await client.tokens({ ...page, received: true, signal });
      const none = "This wallet has no tokens yet.";
      return { data, table: rowsOf(data.tokens, COLUMNS, { none }) };
    },
  }),
  command({
    name: "token",
    help: "show one of the wallet's tokens",
    operands: A_TOKEN,
    tool: { name: "get_token" },
    async run({ client, signal }, { tokenMint }) {
      const found = await client.token(tokenMint, { signal });
      return {
        data: found,
        fields: [
          ["Ticker", found.ticker],
          ["Name", found.tokenName],
          ["Mint", found.tokenMint],
          ["Pool", found.poolAddress],
          ["Deployed", found.deployedAt],
          ["Claimed", found.claimedAt ?? "never"],
          ["Claimed to", found.claimedToAddress],
          ["Handed over to", found.holder],
          ["Launched by", found.launchedBy],
        ],
      };
    },
  }),
  command({
    name: "open",
    help: "open a token's page in the browser",
    operands: A_TOKEN,
    async run({ canAsk, client, env }, { tokenMint }) {
      const url = pageOf(client, tokenMint);
      if (canAsk) await openPage(url, env);
      return { data: { url }, lines: [url] };
    },
  }),
];

/** Opens a page in the browser, if there is one. */
async function openPage(url: string, env: Desk["env"]): Promise<void> {
  const { spawn } = await import("node:child_process");
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [url], { env, stdio: "ignore", detached: true });
  child.unref();
  await new Promise((resolve) => child.once("spawn", resolve).once("error", resolve));
}

export const proofCommands = [
  command({
    name: "verify",
    help: "show what the chain says of a token",
    needs: "nothing",
    operands: A_TOKEN,
    fields: {
      creator: address("fail unless this wallet is the creator", { flag: "--creator <address>" }),
      config: address("fail unless it was launched under this", { flag: "--config <address>" }),
      pool: address("its pool, if the node cannot search accounts", { flag: "--pool <address>" }),
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
      about:
        "It asks the Solana node of --rpc-url and not the service. A token that does not pass costs more than it should, or cannot be judged: tell the user what fails.",
    },
    run: async (desk, input) => (await import("../commands/verify.ts")).verify(desk, input),
  }),
  command({
    name: "explain",
    help: "say what a transaction does, by its bytes alone",
    needs: "nothing",
    operands: { file: required(text("in base64, base58 or bytes; - is stdin", { names: "file" })) },
    examples: ["tokenctl explain claim.txt", "tokenctl explain - < claim.txt"],
    run: async (desk, input) => (await import("../commands/explain.ts")).explain(desk, input),
  }),
];
