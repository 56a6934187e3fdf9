import type { Static, TObject, TProperties } from "@sinclair/typebox";
import type { Desk, Result } from "../desk.ts";

/** What a command changes: nothing; what is reversible or worthless; SOL; what is irreversible. */
type Effect = "reads" | "writes" | "pays" | "irreversible";

interface Tool<Arguments> {
  readonly name: string;
  /** Replaces the command's `help` if the tool does less. */
  readonly help?: string;
  /** Adds to the help what a model has to know before its first call. */
  readonly about?: string;
  /** Arguments that only models have. */
  readonly arguments?: Arguments;
}

/** Declares a command for the terminal's parser, help and completion, the MCP tool and the docs. */
interface Declared<Operands, Fields, Flags, Arguments> {
  /** What people type after `tokenctl`, for example `dev trade`; absent if only models have it. */
  readonly name?: string;
  readonly help: string;
  /** Default: `reads`. */
  readonly effect?: Effect;
  /** Values that people type without a flag, in this order. */
  readonly operands?: Operands;
  readonly fields?: Fields;
  /** Flags that only people have. */
  readonly flags?: Flags;
  /** Default: the command with an example of each operand. */
  readonly examples?: readonly string[];
  /** Returns what is wrong with a combination of fields at a terminal, or nothing. */
  readonly unless?: (
    input: Partial<Values<Operands> & Values<Fields> & Values<Flags>>,
  ) => string | false | undefined;
  readonly tool?: Tool<Arguments>;
  /** Default: a client that can sign in. */
  readonly needs?: "server" | "nothing";
  /** After an interruption, how to find out whether the command took effect. */
  readonly unsettled?: string;
  /** Imports here what `--help` does not need. Returns null if it has printed its results itself. */
  readonly run: (
    desk: Desk,
    input: Values<Operands> & Values<Fields> & Partial<Values<Flags> & Values<Arguments>>,
  ) => Promise<Result | null>;
}

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
