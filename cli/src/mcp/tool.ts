import type {
  InputRequiredResult,
  jsonSchemaValidator,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { ClaimReceiver, ClaimResult, TokenctlClient } from "@tokenctl/sdk";
import { problemFinder } from "@tokenctl/shared/field-problems";
import type { FieldError } from "@tokenctl/shared/types";
import type { ClaimBudget } from "../commands/claim-budget.ts";
import { plain, plainJson } from "../text.ts";
import type { ClaimTickets } from "./claim-tickets.ts";
import { askUser, canAskUser, cannotAsk } from "./confirm.ts";
import type { Guards, Toolset } from "./guards.ts";
import { inputSchema, outputSchema } from "./json-schema.ts";
import type { LaunchAllowance } from "./launch-allowance.ts";
import type { LaunchPayments } from "./launch-payments.ts";
import type { NetworkGuard } from "./network-guard.ts";
import type { Once } from "./once.ts";
import { Refusal } from "./refusal.ts";
import { errorResult } from "./tool-error.ts";

/** What the tools of a process share. */
export interface Desk {
  readonly client: TokenctlClient;
  readonly guards: Guards;
  readonly network: NetworkGuard;
  readonly allowance: LaunchAllowance;
  /** Null if the wallet pays for no launch. */
  readonly payments: LaunchPayments | null;
  readonly tickets: ClaimTickets<ClaimResult>;
  /** Who gets claimed fees: the payout of the profile at the start; undefined for the wallet. */
  readonly payout: readonly ClaimReceiver[] | undefined;
  /** For all claims of this process. */
  readonly budget: ClaimBudget;
  readonly once: Once;
  readonly offered: readonly string[];
}

/** A sentence, and the data that the output schema describes. */
export interface Answer<Data> {
  readonly text: string;
  readonly data: Data;
}

interface Call {
  /** Fires if the client cancels the call. */
  readonly signal: AbortSignal;
  readonly canAsk: boolean;
  /** Asks the user, unless that is off; a result must be returned. @throws {Refusal} */
  confirm(question: string): InputRequiredResult | null;
}

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `status` is always offered. */
  readonly toolset: Toolset | "status";
  /** All four hints of MCP. `--read-only` offers only tools with `readOnlyHint`. */
  readonly hints: Required<Omit<ToolAnnotations, "title">>;
  /** Offered only with `--files`. */
  readonly needsFiles?: true;
}

interface Definition<Input extends TProperties, Output extends TSchema>
  extends Omit<Described, "toolset" | "hints">,
    Partial<Pick<Described, "hints">> {
  readonly input: Input;
  readonly output: Output;
  run(
    desk: Desk,
    input: Static<TObject<Input>>,
    call: Call,
  ): Promise<Answer<Static<Output>> | InputRequiredResult>;
}

export interface Tool extends Described {
  readonly input: TObject;
  readonly output: TSchema;
  run(desk: Desk, input: unknown, call: Call): Promise<Answer<unknown> | InputRequiredResult>;
}

/** @returns a function that defines a tool of a set; without `hints` the tool only reads */
export function toolsOf(toolset: Toolset | "status") {
  return <Input extends TProperties, Output extends TSchema>(
    definition: Definition<Input, Output>,
  ): Tool => {
    const fields: TProperties = definition.input;
    const input = Type.Object(fields, { additionalProperties: false });
    return {
      hints: READS,
      toolset,
      ...(definition as Omit<Tool, "input" | "toolset" | "hints">),
      input,
    };
  };
}

/** Reads something that others may change. */
const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

/** Changes something that can be undone, or that has no value. */
export const WRITES = { ...READS, readOnlyHint: false } as const;

/** Does what cannot be undone, once for the same arguments. */
export const WRITES_ONCE = { ...WRITES, destructiveHint: true } as const;

/** Offers a tool to the client. */
export function register(server: McpServer, desk: Desk, { run, ...tool }: Tool): void {
  const isWrite = !tool.hints.readOnlyHint;
  const problems = problemFinder(tool.input);
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema(tool.input), CHECKED_LATER),
      outputSchema: fromJsonSchema(outputSchema(tool.output)),
      annotations: tool.hints,
    },
    async (input, context: ServerContext) => {
      const { signal } = context.mcpReq;
      try {
        const [first, ...more] = problems(input);
        if (first !== undefined) throw invalid([first, ...more]);
        if (tool.toolset !== "status") await desk.network.check(isWrite, signal);
        const canAsk = canAskUser(context, server.server.getClientCapabilities());
        const answer = await run(desk, input, {
          signal,
          canAsk,
          confirm(question) {
            if (!desk.guards.confirm) return null;
            if (!canAsk) throw cannotAsk();
            return askUser(context, question);
          },
        });
        if (!("data" in answer)) return answer;
        const { text, data } = answer as Answer<Record<string, unknown>>;
        const content = [{ type: "text" as const, text: `${plain(text)}\n${plainJson(data)}` }];
        return { content, structuredContent: data };
      } catch (error) {
        return errorResult(error);
      }
    },
  );
}

/** The library's texts name no rule, so the arguments are checked here, as over HTTP. */
const CHECKED_LATER: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

function invalid(problems: readonly FieldError[]): Refusal {
  const rules = problems.map(({ field, message }) => `${field} ${message}`);
  return new Refusal("validation_failed", rules.join("; "), "Correct these arguments.");
}
