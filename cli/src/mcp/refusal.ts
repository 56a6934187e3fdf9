import { CliError } from "../errors.ts";

/** A call that this MCP server itself refuses. The message and the hint are for a model. */
export class Refusal extends CliError {
  constructor(code: string, message: string, hint?: string) {
    super(code, message, { hint });
  }
}
