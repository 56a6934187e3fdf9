import { PROFILE_KEYS } from "../config-file.ts";
import { MAX_TOTAL_FEE } from "./claims.ts";
import { type Command, command } from "./command.ts";
import { PROFILE, RPC_URL } from "./common.ts";
import { choice, flag, required, sol, text, whole } from "./field.ts";
import { toolsets } from "./toolsets.ts";

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
    run: async () => (await import("../commands/policy.ts")).policy,
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
    run: async () => (await import("../commands/session.ts")).health,
  }),
];

const aSet = `(${toolsets.join("|")})`;

/** @param others the commands that MCP offers as tools */
export const mcpCommand = (others: readonly Command[]) =>
  command({
    name: "mcp",
    help: "serve tools for the wallet to a model by MCP",
    effect: "pays",
    flags: {
      readOnly: flag("offer only tools that change nothing"),
      toolsets: text(`${toolsets.join(",")}; default: all`, {
        pattern: `^ *${aSet} *(, *${aSet} *)*$`,
        rule: `some of ${toolsets.join(", ")}, separated by commas`,
      }),
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
      "tokenctl mcp --toolsets tokens,fees --api-url https://tokens.example",
    ],
    run: async () => {
      const { mcp } = await import("../mcp/serve.ts");
      return (desk, flags) => mcp(desk, flags, others);
    },
  });

const KEY = choice(PROFILE_KEYS, "api-url, keypair, rpc-url or payout");
const config = () => import("../commands/config.ts");

export const programCommands = [
  command({
    name: "config list",
    help: "list the profiles; * marks the one in use",
    needs: "no profile",
    run: async () => {
      const { list } = await config();
      return (desk) => list(desk);
    },
  }),
  command({
    name: "config get",
    help: "show the settings and where each comes from",
    needs: "no profile",
    operands: { key: KEY },
    examples: ["tokenctl config get", "tokenctl config get api-url --json"],
    run: async () => (await config()).get,
  }),
  command({
    name: "config set",
    help: "set a setting of the profile in use",
    effect: "writes",
    needs: "no profile",
    operands: { key: required(KEY), value: required(text("its value")) },
    examples: [
      "tokenctl config set api-url https://tokens.example",
      "tokenctl config set keypair ~/agents/two.json --profile two",
    ],
    run: async () => (await config()).set,
  }),
  command({
    name: "config unset",
    help: "remove a setting, and a profile with its last one",
    effect: "writes",
    needs: "no profile",
    operands: { key: required(KEY) },
    examples: ["tokenctl config unset rpc-url --profile two"],
    run: async () => (await config()).unset,
  }),
  command({
    name: "config use",
    help: "use a profile from now on",
    effect: "writes",
    needs: "no profile",
    operands: { profile: required(PROFILE) },
    examples: ["tokenctl config use two"],
    run: async () => (await config()).use,
  }),
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
    run: async () => (await import("../commands/completion.ts")).completion,
  }),
  command({
    name: "licenses",
    help: "print the licences of what this program contains",
    needs: "nothing",
    examples: ["tokenctl licenses | less"],
    run: async () => (await import("../commands/licenses.ts")).licenses,
  }),
];
