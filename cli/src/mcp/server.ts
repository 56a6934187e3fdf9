import { createHash } from "node:crypto";
import type {
  ClientCapabilities,
  InputRequiredResult,
  jsonSchemaValidator,
  ServerContext,
} from "@modelcontextprotocol/server";
import {
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from "@modelcontextprotocol/server";
import type { Desk, Result } from "../desk.ts";
import { CliError, UnansweredError } from "../errors.ts";
import type { Command } from "../grammar/command.ts";
import { type Given, inputReader } from "../grammar/input.ts";
import { factLines } from "../render.ts";
import { resolveNames } from "../resolve-token.ts";
import { plain, plainStrings } from "../text.ts";
import { version } from "../version.ts";
import type { AuditLog } from "./audit.ts";
import type { Guards, ModelLimits } from "./model-limits.ts";
import { inputSchema } from "./schemas.ts";
import { explainToModel, inTools, type Tool } from "./words.ts";

const INSTRUCTIONS = [
  "Launches tokens on Solana for one wallet, and claims the fees that they earn.",
  "To launch: check_launch, launch_token, then get_launch until the status is not pending.",
  "list_launches finds an eventId that was lost.",
  "To claim: get_fees, then claim_fees; claim_all_fees claims all.",
  "Repeats are safe: the same launch or claim is carried out once. Amounts are SOL.",
].join(" ");

/** Arguments for a launch that the wallet pays for. */
const PAYING: readonly string[] = ["payer", "firstBuySOL", "firstBuyMinTokens"];

/** Ends a call so that the client asks its user. The tool runs again with the answer. */
class AsksUser extends UnansweredError {
  constructor(readonly request: InputRequiredResult) {
    super("The user is asked");
  }
}

/** Tools read data that others may change. Only `pays` and `irreversible` cannot be undone. */
function hintsOf({ effect }: Command) {
  return {
    readOnlyHint: effect === "reads",
    destructiveHint: effect === "pays" || effect === "irreversible",
    idempotentHint: true,
    openWorldHint: true,
  };
}

export function toolsOf(
  commands: readonly Command[],
  { readOnly, filesDir, maxLaunchCostSol }: Guards,
  hasNode: boolean,
): Tool[] {
  return commands.flatMap((command) => {
    const { effect, operands, fields: shared, tool } = command;
    const isOffered =
      (effect === "reads" || !readOnly) &&
      (tool?.name !== "upload_image" || filesDir !== null) &&
      (tool?.name !== "verify_token" || hasNode);
    if (!tool || !isOffered) return [];
    const all = Object.entries({ ...operands, ...shared, ...tool.arguments });
    const pays = maxLaunchCostSol !== null;
    const fields = Object.fromEntries(all.filter(([name]) => pays || !PAYING.includes(name)));
    return [{ command, tool, fields }];
  });
}

/** @param desk the process's own desk, with the model's limits */
export function createServer(desk: Desk, tools: readonly Tool[], log: AuditLog): McpServer {
  const server = new McpServer(
    { name: "tokenctl", title: "Token launch service", version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of tools) register(server, desk, tool, tools, log);
  return server;
}

function register(
  server: McpServer,
  owner: Desk,
  { command, tool, fields }: Tool,
  tools: readonly Tool[],
  log: AuditLog,
): void {
  const { name, about, help = command.help } = tool;
  const title = help.slice(0, 1).toUpperCase() + help.slice(1);
  const read = inputReader(fields);
  server.registerTool(
    name,
    {
      title,
      description: `${title}.${about === undefined ? "" : ` ${about}`}`,
      inputSchema: fromJsonSchema<Given>(inputSchema(fields), CHECKED_LATER),
      annotations: hintsOf(command),
    },
    async (given, context: ServerContext) => {
      const { signal } = context.mcpReq;
      const limits = owner.model as ModelLimits;
      let record: ReturnType<AuditLog["call"]> | undefined;
      try {
        record = log.call(name, given);
        const { input, problems } = read(given);
        if (problems.length > 0) {
          const rules = problems.map(({ field, message }) => `${field} ${message}`).join("; ");
          throw new CliError("validation_failed", rules, { hint: "Correct these arguments" });
        }
        if (command.needs === undefined)
          await limits.checkChain(command.effect !== "reads", signal);
        const canAsk = canAskUser(context, server.server.getClientCapabilities());
        const desk = deskOf(owner, context, canAsk);
        const named = await resolveNames(() => desk.client, fields, input, signal);
        const done = (await command.run(desk, named)) as Result;
        record("done", done.data);
        return answerOf(done, (line) => inTools(line, fields, tools));
      } catch (error) {
        if (error instanceof AsksUser) {
          record?.("asks the user", {});
          return error.request;
        }
        const { lines, code } = explainToModel(error, { command, tool, fields }, tools);
        record?.("failed", { code });
        return { content: [textOf(lines)], isError: true, _meta: { code: plain(code) } };
      }
    },
  );
}

function deskOf(owner: Desk, context: ServerContext, canAsk: boolean): Desk {
  const { signal } = context.mcpReq;
  const limits = owner.model as ModelLimits;
  return {
    ...owner,
    signal,
    canAsk,
    notices: { notice() {}, warn() {}, stop() {} },
    network: () => owner.client.network({ signal }),
    async confirm(question) {
      if (!limits.guards.confirm) return;
      if (!canAsk) {
        const text = "This MCP client cannot ask its user, so nothing was done";
        const hint = "Allow launches and claims without a question with --no-confirm";
        throw new CliError("cannot_ask", text, { hint });
      }
      const asked = await question();
      if (asked === null) return;
      const { action, facts = [] } = asked;
      const message = `${plain(`${action} at ${owner.client.apiUrl}?`)}\n${factLines(facts)}`;
      // Leaves out amounts and the cost, which vary with the network's fees; a maximum bounds them.
      const terms = [action.replace(/[\d.,]+ SOL/g, ""), facts.filter(([of]) => of !== "Cost")];
      askUser(context, message.trimEnd(), JSON.stringify(terms));
    },
  };
}

function answerOf({ data, says, next = [], failure }: Result, say: (line: string) => string) {
  const value = plainStrings(JSON.parse(JSON.stringify(data)));
  const more = value.nextCursor && "There are more: use nextCursor.";
  const [about, advice] = failure
    ? [`${failure.message}.`, [failure.hint]]
    : [says, [...next, more]];
  const said = [about, ...advice.map((line) => line && say(line))].filter((line) => line);
  const content = [textOf([...said, JSON.stringify(value)])];
  // Of several claims, one that paid is a result.
  return { content, structuredContent: value, isError: !!failure && value.claimedSOL === 0 };
}

function textOf(lines: readonly string[]) {
  return { type: "text" as const, text: lines.map(plain).join("\n") };
}

/** Accepts all: the library's errors name no rule. Arguments are checked later, as over HTTP. */
const CHECKED_LATER: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * Returns if the user has agreed to these terms. @throws {AsksUser} if they were not asked yet, as
 * the server may have changed them since. @throws {CliError} `not_confirmed`
 */
function askUser({ mcpReq }: ServerContext, message: string, terms: string): void {
  const key = createHash("sha256").update(terms).digest("hex");
  const answer = inputResponse(mcpReq.inputResponses, key);
  if (answer.kind === "missing") {
    const properties = { agree: { type: "boolean", title: "Do it" } } as const;
    const requestedSchema = { type: "object" as const, properties, required: ["agree"] };
    const form = inputRequired.elicit({ message, requestedSchema });
    throw new AsksUser(inputRequired({ inputRequests: { [key]: form } }));
  }
  if (answer.kind === "elicit" && answer.action === "accept" && answer.content?.agree === true) {
    return;
  }
  throw new CliError("not_confirmed", "The user did not agree, so nothing was done", {
    hint: "Do not call this again unless the user asks for it",
  });
}

function canAskUser(
  { mcpReq }: ServerContext,
  initialized: ClientCapabilities | undefined,
): boolean {
  // The published type of the envelope lacks its reserved keys.
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities>> | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? initialized ?? {};
  // An empty object means that forms are supported. A client without forms names only `url`.
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}
