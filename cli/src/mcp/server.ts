import { McpServer } from "@modelcontextprotocol/server";
import {
  memorySkillFiles,
  type SkillCatalog,
  SkillsExtension,
} from "@modelcontextprotocol/server/ext/skills";
import { Type } from "@sinclair/typebox";
import { skillFiles } from "@tokenctl/shared/skill";
import { version } from "../version.ts";
import type { Guards } from "./guards.ts";
import type { Desk, Tool } from "./tool.ts";
import { register } from "./tool.ts";
import { eventTools } from "./tools/events.ts";
import { feeTools } from "./tools/fees.ts";
import { imageTools } from "./tools/images.ts";
import { launchTools } from "./tools/launch.ts";
import { sandboxTools } from "./tools/sandbox.ts";
import { statusTools } from "./tools/status.ts";
import { tokenTools } from "./tools/tokens.ts";

const INSTRUCTIONS = [
  "Launches tokens on Solana for one wallet, and claims the fees that they earn.",
  "Start with get_policy. To launch: launch_token, then get_launch until the status is not pending.",
  "list_launches finds an eventId that was lost.",
  "To claim: get_fees, preview_claim, then claim_fees with the claimToken of the preview.",
  "Repeats are safe: the same launch or claim is carried out once. Amounts are SOL.",
].join(" ");

const tools: readonly Tool[] = [
  ...statusTools,
  ...launchTools,
  ...imageTools,
  ...tokenTools,
  ...feeTools,
  ...eventTools,
  ...sandboxTools,
];

export function allowedTools(
  {
    readOnly,
    toolsets,
    filesDir,
    maxLaunchCostSol,
  }: Pick<Guards, "readOnly" | "toolsets" | "filesDir" | "maxLaunchCostSol">,
  isSandbox: boolean,
): readonly Tool[] {
  const offered = maxLaunchCostSol === null ? tools.map(withoutPayment) : tools;
  return offered.filter(({ toolset, hints, needsFiles }) => {
    if (readOnly && !hints.readOnlyHint) return false;
    if (needsFiles && filesDir === null) return false;
    if (toolset === "sandbox" && !isSandbox) return false;
    return toolset === "status" || toolsets.includes(toolset);
  });
}

/** Without the arguments by which the wallet pays for a launch. */
function withoutPayment(tool: Tool): Tool {
  const { payer: _, firstBuySOL: __, firstBuyMinTokens: ___, ...fields } = tool.input.properties;
  return { ...tool, input: Type.Object(fields, { additionalProperties: false }) };
}

/** The skill for models, which clients read as resources. */
export function loadSkill(): Promise<SkillCatalog> {
  const files = Object.entries(skillFiles).map(([path, text]) => [`tokenctl/${path}`, text]);
  return SkillsExtension.load(memorySkillFiles(Object.fromEntries(files)), { strict: true });
}

export function createServer(desk: Desk, offered: readonly Tool[], skill: SkillCatalog): McpServer {
  const server = new McpServer(
    { name: "tokenctl", title: "Token launch service", version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  for (const one of offered) register(server, desk, one);
  skill.attach(server);
  return server;
}
