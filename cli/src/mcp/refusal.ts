/** A call that this MCP server refuses by itself. The message and the hint are for a model. */
export class Refusal extends Error {
  /** Stable and snake_case, for example `launches_used_up`. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.hint = hint;
  }
}
