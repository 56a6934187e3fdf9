import { licenseText } from "@tokenctl/shared/license-text";
import { claimCommands, MAX_TOTAL_FEE } from "./claims.ts";
import { type Command, command } from "./command.ts";
import { RPC_URL } from "./common.ts";
import bash from "./completion.bash.txt" with { type: "text" };
import fish from "./completion.fish.txt" with { type: "text" };
import zsh from "./completion.zsh.txt" with { type: "text" };
import { configCommands } from "./config.ts";
import { eventCommands, webhookCommands } from "./events.ts";
import { choice, flag, required, sol, text, whole } from "./field.ts";
import { handOverCommands } from "./hand-over.ts";
import { launchCommands } from "./launches.ts";
import { sandboxCommands, serviceCommands } from "./service.ts";
import { proofCommands, tokenCommands } from "./tokens.ts";
import { walletCommands } from "./wallet.ts";

const first: readonly Command[] = [
  ...walletCommands,
  ...launchCommands,
  ...tokenCommands,
  ...claimCommands,
  ...handOverCommands,
  ...proofCommands,
  ...eventCommands,
];

const mcpCommand = command({
  name: "mcp",
  help: "serve tools for the wallet to a model over MCP",
  effect: "pays",
  flags: {
    readOnly: flag("offer only tools that change nothing"),
    maxLaunchesPerDay: whole("launches per UTC day", 1, 1000, {
      default: 1,
      rule: "a whole number from 1 to 1000; --read-only allows none",
    }),
    allowMainnet: flag("allow servers besides sandboxes and localnets"),
    confirm: flag("launch and claim without asking the client's user", { flag: "--no-confirm" }),
    files: text("allow uploads of images in this folder", { flag: "--files <dir>" }),
    auditLog: text("default: ~/.local/state/tokenctl/mcp-audit.jsonl", {
      flag: "--audit-log <file>",
    }),
    maxTotalFeeSol: MAX_TOTAL_FEE,
    pay: flag("let the model's launches be paid by this wallet"),
    maxLaunchCostSol: sol("with --pay: the most that each costs"),
    rpcUrl: RPC_URL,
  },
  unless: ({ pay, maxLaunchCostSol }) =>
    (pay === undefined) !== (maxLaunchCostSol === undefined) &&
    "--pay and --max-launch-cost-sol need each other",
  examples: [
    "tokenctl mcp --read-only",
    "tokenctl mcp --api-url https://tokens.example --allow-mainnet",
  ],
  async run(desk, flags) {
    return (await import("../mcp/serve.ts")).mcp(desk, flags, [...serviceCommands, ...first]);
  },
});

const programCommands = [
  command({
    name: "completion",
    help: "print the completion script of a shell",
    needs: "nothing",
    operands: { shell: required(choice(["bash", "zsh", "fish"], "bash, zsh or fish")) },
    examples: [
      "source <(tokenctl completion bash)    # or add it to ~/.bashrc",
      "source <(tokenctl completion zsh)     # after compinit, in ~/.zshrc",
      "tokenctl completion fish | source     # in ~/.config/fish/config.fish",
    ],
    // Each script passes the words to `tokenctl complete` unchanged and evaluates none of them.
    run: async (_, { shell }) => ({ data: {}, raw: { bash, zsh, fish }[shell] }),
  }),
  command({
    name: "licenses",
    help: "print the licences of what this program contains",
    needs: "nothing",
    examples: ["tokenctl licenses | less"],
    async run({ settings }) {
      const { licenses: packages } = await import("@tokenctl/shared/licenses");
      const data = { packages };
      const raw = settings.json ? JSON.stringify(data, null, 2) : licenseText(packages);
      return { data, raw: `${raw}\n` };
    },
  }),
];

/** The whole grammar, in the order of the terminal's help. */
export const commands: readonly Command[] = [
  ...first,
  ...serviceCommands,
  mcpCommand,
  ...webhookCommands,
  ...configCommands,
  ...programCommands,
  ...sandboxCommands,
];

export const groups: Readonly<Record<string, string>> = {
  webhooks: "manage receivers of the wallet's events",
  config: "store a server, a wallet and a node to use",
  dev: "trade and mint SOL on a sandbox server",
};
