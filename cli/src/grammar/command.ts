import type { Static, TObject, TProperties } from "@sinclair/typebox";
import type { Desk, Result } from "../desk.ts";
import type * as Schemas from "../mcp/schemas.ts";
import type { Toolset } from "./toolsets.ts";

/** Nothing; what can be undone, or has no value; the wallet's SOL; or what cannot be undone. */
type Effect = "reads" | "writes" | "pays" | "irreversible";

/** How a model gets the command, by MCP. */
interface Tool<Arguments> {
  readonly name: string;
  readonly set: Toolset | "status";
  /** Instead of the command's `help`, if the tool does less. */
  readonly help?: string;
  /** Beside the help: what a model has to know before its first call. */
  readonly about?: string;
  /** What only models can give. */
  readonly arguments?: Arguments;
  /** What replaces the arguments for people. */
  readonly schemas?: keyof typeof Schemas.argumentsOf;
  readonly result: keyof typeof Schemas.results;
}

/** A command, declared once: from it come the terminal's parser, help and completion, MCP's tool, and the pages. */
interface Declared<Operands, Fields, Flags, Arguments> {
  /** What people type after `tokenctl`, for example `dev trade`; absent if only models have it. */
  readonly name?: string;
  readonly help: string;
  /** Default: `reads`. */
  readonly effect?: Effect;
  /** What people type without a flag, in this order. */
  readonly operands?: Operands;
  readonly fields?: Fields;
  /** For people alone. */
  readonly flags?: Flags;
  /** Default: the command with an example of its operands. */
  readonly examples?: readonly string[];
  /** What is wrong with a combination of fields at a terminal, if anything is. */
  readonly unless?: (
    input: Partial<Values<Operands> & Values<Fields> & Values<Flags>>,
    globals: { readonly json?: boolean },
  ) => Flaw | Promise<Flaw>;
  readonly tool?: Tool<Arguments>;
  /** Default: a client that can sign in. Even `nothing` needs a profile that exists, if one is named. */
  readonly needs?: "server" | "nothing" | "no profile";
  /** Shown while it works. */
  readonly doing?: string;
  /** How to find out whether it was done, after an interruption. */
  readonly unsettled?: string;
  /** Loads its code. It returns null if it has printed its results itself. */
  readonly run: () => Promise<
    (
      desk: Desk,
      input: Values<Operands> & Values<Fields> & Partial<Values<Flags> & Values<Arguments>>,
    ) => Promise<Result | null>
  >;
}

type Flaw = string | false | undefined;
type Values<Fields> = Fields extends TProperties ? Static<TObject<Fields>> : never;
type None = Record<never, never>;

export type Command = Declared<TProperties, TProperties, TProperties, TProperties> & {
  readonly effect: Effect;
};

export function command<
  Operands extends TProperties = None,
  Fields extends TProperties = None,
  Flags extends TProperties = None,
  Arguments extends TProperties = None,
>(declared: Declared<Operands, Fields, Flags, Arguments>): Command {
  return { effect: "reads", ...declared } as unknown as Command;
}

export function typedFields({ operands, fields, flags }: Command): TProperties {
  return { ...operands, ...fields, ...flags };
}
