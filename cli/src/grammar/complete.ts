import type { TSchema } from "@sinclair/typebox";
import type { LaunchRecord } from "@tokenctl/sdk";
import type { Command as Commander, Option } from "commander";
import type { Notices } from "../desk.ts";
import { readConfigFile } from "../own-files.ts";
import { type GlobalOptions, readSettings } from "../settings.ts";
import { plain } from "../text.ts";
import type { World } from "../world.ts";
import { type Command, typedFields } from "./command.ts";
import { commands } from "./commands.ts";
import { GLOBALS } from "./common.ts";
import { flagsOf } from "./field.ts";

interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** The tab key gets an answer within this many milliseconds. */
const PATIENCE_MS = 2_000;
/** A list to choose from is no more useful with more launches than this. */
const MOST_LAUNCHES = 50;

const silent: Notices = { notice() {}, warn() {}, progress() {}, stop() {} };

/** Selects the launches that a command applies to; all for other commands. */
const USEFUL: Readonly<Record<string, (launch: LaunchRecord) => boolean>> = {
  cancel: ({ status }) => status === "pending",
  retry: ({ status }) => status === "failed" || status === "rate_limited",
};

const FILES = ":files\n";

/** Prints completions as lines of value, tab and meaning. Never fails: a shell shows no errors. */
export async function complete(
  program: Commander,
  words: readonly string[],
  { out, env }: Pick<World, "out" | "env">,
): Promise<void> {
  const { before, last, prefix } = splitWords(words);
  const position = walk(program, before);
  const flag = prefix.slice(0, -1);
  const option =
    position.option ?? optionsOf(position.command).find(({ long }) => long === flag) ?? null;
  const schema = schemaAt(position, option);
  if (schema["x-names"] === "file") return out.write(FILES);
  const isGroup = position.command.commands.length > 0;
  const candidates =
    option === null && last.startsWith("-")
      ? flagsAt(position.command)
      : option === null && isGroup
        ? commandsAt(position)
        : await valuesOf(schema, position, env);
  const lines = candidates
    .filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase()))
    .map(({ value, about }) => `${prefix}${value}\t${about}\n`);
  out.write(lines.join(""));
}

/** Splits `--status=fa` into an option and its value. */
function splitWords(words: readonly string[]): { before: string[]; last: string; prefix: string } {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined) return { before, last, prefix: "" };
  return { before: [...before, flag], last: value ?? "", prefix: `${flag}=` };
}

/** Returns the field of the next word, an option's or an operand's; an empty schema if none. */
function schemaAt(position: Position, option: Option | null): Partial<TSchema> {
  const declared = commandAt(position.command);
  const fields = { ...(declared && typedFields(declared)), ...GLOBALS };
  const operands = Object.values(declared?.operands ?? {});
  if (option === null) return operands[position.operands.length] ?? {};
  const own = Object.entries(fields).find(
    ([name, schema]) => flagsOf(name, schema) === option.flags,
  );
  return own?.[1] ?? {};
}

function commandAt(at: Commander): Command | undefined {
  const path: string[] = [];
  for (let one = at; one.parent; one = one.parent) path.unshift(one.name());
  return commands.find(({ name }) => name === path.join(" "));
}

function flagsAt(command: Commander): Candidate[] {
  const flags = optionsOf(command)
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ value: long ?? "", about: description }));
  return [...flags, { value: "--help", about: "print help" }];
}

function commandsAt({ command, operands }: Position): Candidate[] {
  if (operands.length > 0) return [];
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), about: one.description() }));
}

async function valuesOf(
  schema: Partial<TSchema>,
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  const names = schema["x-names"];
  if (names === "profile") return profiles(env);
  if (names === "token" || names === "waiting" || names === "launch")
    return fromServer(names, position, env);
  const choices: readonly { const: string }[] = schema.anyOf ?? [];
  return choices.map(({ const: value }) => ({ value, about: "" }));
}

/** Returns tickers of the wallet's tokens or launches; none if the server does not answer. */
async function fromServer(
  names: "token" | "waiting" | "launch",
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { connectWallet } = await import("../client.ts");
    const ends = { env, settings: readSettings(globalOptions(position), env), notices: silent };
    const client = await connectWallet(ends);
    if (names !== "launch") {
      const { tokens } = await (names === "token"
        ? client.tokens({ received: true, signal })
        : client.waitingTokens({ signal }));
      return tokens.map(({ ticker, tokenName }) => candidate(ticker, tokenName));
    }
    const { launches } = await client.launches({ limit: MOST_LAUNCHES, signal });
    const command = position.command.name();
    const isUseful = Object.hasOwn(USEFUL, command) ? USEFUL[command] : undefined;
    // A ticker means the newest launch that has it.
    const newest = new Map(launches.toReversed().map((launch) => [launch.ticker, launch]));
    return launches
      .filter((launch) => newest.get(launch.ticker) === launch && (isUseful?.(launch) ?? true))
      .map(({ eventId, ticker, status }) => candidate(ticker, `${status}, ${eventId}`));
  } catch {
    return [];
  }
}

const candidate = (value: string, about: string) => ({ value: plain(value), about: plain(about) });

function profiles(env: World["env"]): Candidate[] {
  try {
    return Object.entries(readConfigFile(env).profiles).map(([value, settings]) => ({
      value,
      about: settings["api-url"] ?? "",
    }));
  } catch {
    return [];
  }
}

function globalOptions({ values }: Position): GlobalOptions {
  const of = (flag: string) => values.get(flag);
  const [apiUrl, keypair, profile] = [of("--api-url"), of("--keypair"), of("--profile")];
  return { ...(apiUrl && { apiUrl }), ...(keypair && { keypair }), ...(profile && { profile }) };
}

/** What a command line means up to its last complete word. */
interface Position {
  readonly command: Commander;
  readonly option: Option | null;
  readonly operands: readonly string[];
  /** The first word that should name a command but does not. */
  readonly unknown: string | null;
  readonly values: ReadonlyMap<string, string>;
}

export function walk(program: Commander, words: readonly string[]): Position {
  let command = program;
  let option: Option | null = null;
  let unknown: string | null = null;
  let onlyOperands = false;
  const operands: string[] = [];
  const values = new Map<string, string>();
  for (const word of words) {
    if (option) {
      values.set(option.long ?? "", word);
      option = null;
    } else if (word === "--" && !onlyOperands) {
      onlyOperands = true;
    } else if (!onlyOperands && word.startsWith("-") && word !== "-") {
      const [flag = "", ...value] = word.split("=");
      const found = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (found && (found.required || found.optional)) {
        if (value.length > 0) values.set(found.long ?? "", value.join("="));
        else if (found.required) option = found;
      }
    } else {
      const isGroup = command.commands.length > 0 && operands.length === 0;
      const next = isGroup ? command.commands.find((one) => one.name() === word) : undefined;
      // `help config` means the same command as `config`.
      if (isGroup && !next && word === "help") continue;
      if (next) command = next;
      else if (isGroup) unknown ??= word;
      if (!next) operands.push(word);
    }
  }
  return { command, option, operands, unknown, values };
}

export function optionsOf(command: Commander): Option[] {
  const all: Option[] = [];
  for (let at: Commander | null = command; at; at = at.parent) all.push(...at.options);
  return all;
}
