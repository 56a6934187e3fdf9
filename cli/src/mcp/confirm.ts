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
import { CliError, UnansweredError } from "../errors.ts";

const KEY = "confirm";

/** Ends a call so that the client asks its user. The tool runs again with the answer. */
export class AsksUser extends UnansweredError {
  constructor(readonly request: InputRequiredResult) {
    super("The user is asked");
  }
}

/** Returns once the user agrees. @throws {AsksUser} first. @throws {CliError} `not_confirmed` */
export async function askUser(
  { mcpReq }: ServerContext,
  question: () => Promise<string | null>,
): Promise<void> {
  const answer = inputResponse(mcpReq.inputResponses, KEY);
  if (answer.kind === "missing") {
    const asked = await question();
    if (asked === null) return;
    const properties = { agree: { type: "boolean", title: "Do it" } } as const;
    const requestedSchema = { type: "object" as const, properties, required: ["agree"] };
    const form = inputRequired.elicit({ message: asked, requestedSchema });
    throw new AsksUser(inputRequired({ inputRequests: { [KEY]: form } }));
  }
  if (answer.kind === "elicit" && answer.action === "accept" && answer.content?.agree === true) {
    return;
  }
  throw new CliError("not_confirmed", "The user did not agree, so nothing was done", {
    hint: "Do not call this again unless the user asks for it",
  });
}

export function canAskUser(
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
