import type {
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import { plain } from "../text.ts";
import { Refusal } from "./refusal.ts";

const KEY = "confirm";

/**
 * Asks the client's user; then the tool runs again, so it confirms before it changes anything.
 *
 * @returns null if the user has agreed, otherwise what makes the client ask. @throws {Refusal}
 * `not_confirmed`
 */
export function askUser({ mcpReq }: ServerContext, question: string): InputRequiredResult | null {
  const answer = inputResponse(mcpReq.inputResponses, KEY);
  if (answer.kind === "elicit" && answer.action === "accept") {
    if (answer.content?.agree === true) return null;
    throw notConfirmed();
  }
  if (answer.kind !== "missing") throw notConfirmed();
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: plain(question),
        requestedSchema: {
          type: "object",
          properties: { agree: { type: "boolean", title: "Do it" } },
          required: ["agree"],
        },
      }),
    },
  });
}

export function canAskUser(
  { mcpReq }: ServerContext,
  initialized: ClientCapabilities | undefined,
): boolean {
  // The published type of the envelope lacks its reserved keys.
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities>> | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? initialized ?? {};
  // An empty object means forms; a client with only URLs names `url` and not `form`.
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}

export function cannotAsk(): Refusal {
  return new Refusal(
    "cannot_ask",
    "This MCP client cannot ask its user, so nothing was done",
    "Only the person who starts this MCP server can allow launches and claims without a question, with --no-confirm.",
  );
}

function notConfirmed(): Refusal {
  return new Refusal(
    "not_confirmed",
    "The user did not agree, so nothing was done",
    "Do not call this again unless the user asks for it.",
  );
}
