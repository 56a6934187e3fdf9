import type { LaunchRecord } from "@tokenctl/sdk";
import type { Command, Option } from "commander";
import { nextArgument, optionsOf, type Position, walk } from "./command-walk.ts";
import { readConfigFile } from "./config-file.ts";
import type { Notices } from "./context.ts";
import { type GlobalOptions, readSettings } from "./settings.ts";
import { plain } from "./text.ts";
import type { World } from "./world.ts";

/** What a word may become, and what that means. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Milliseconds within which a tab key gets an answer. */
const PATIENCE_MS = 2_000;
/** More launches would not help in a list to choose from. */
const MOST_LAUNCHES = 50;

const silent: Notices = { notice() {}, warn() {}, progress() {}, stop() {} };

/** The launches that a command applies to. */
const USEFUL: Readonly<Record<string, (launch: LaunchRecord) => boolean>> = {
  cancel: ({ status }) => status === "pending",
  retry: ({ status }) => status === "failed" || status === "rate_limited",
};

/** Tells the shell to complete file names. */
const FILES = ":files\n";

const FILE_OPTIONS: readonly string[] = ["--keypair", "--outfile", "--image"];

/** Prints what the last word may become: lines of value, tab and meaning. Never fails, because a shell shows no errors. */
export async function complete(
  program: Command,
  words: readonly string[],
  { out, env }: Pick<World, "out" | "env">,
): Promise<void> {
  const { before, last, prefix } = splitWords(words);
  const position = walk(program, before);
  const option = optionToFill(position, prefix);
  if (option && FILE_OPTIONS.includes(option.long ?? "")) return out.write(FILES);
  const candidates = option
    ? await valuesOf(option, position, env)
    : last.startsWith("-")
      ? flagsOf(position.command)
      : await operandsOf(position, env);
  const lines = candidates
    .filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase()))
    .map(({ value, about }) => `${prefix}${value}\t${about}\n`);
  out.write(lines.join(""));
}

/** Bash splits `--status=fa` into three words, other shells do not. Both become an option and its value. */
function splitWords(words: readonly string[]): { before: string[]; last: string; prefix: string } {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  if (before.at(-1) === "=") return { before: before.slice(0, -1), last, prefix: "" };
  if (last === "=") return { before, last: "", prefix: "" };
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined) return { before, last, prefix: "" };
  return { before: [...before, flag], last: value ?? "", prefix: `${flag}=` };
}

function optionToFill({ command, option }: Position, prefix: string): Option | null {
  if (option) return option;
  const flag = prefix.slice(0, -1);
  return flag === "" ? null : (optionsOf(command).find(({ long }) => long === flag) ?? null);
}

function flagsOf(command: Command): Candidate[] {
  const flags = optionsOf(command)
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ value: long ?? "", about: description }));
  return [...flags, { value: "--help", about: "print help" }];
}

async function valuesOf(
  option: Option,
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  if (option.long === "--profile") return profiles(env);
  if (option.long === "--token") return fromServer("mint", position, env);
  return (option.argChoices ?? []).map((value) => ({ value, about: "" }));
}

async function operandsOf(position: Position, env: World["env"]): Promise<Candidate[]> {
  const { command, operands } = position;
  if (command.commands.length > 0) {
    if (operands.length > 0) return [];
    const visible = command.createHelp().visibleCommands(command);
    return visible.map((one) => ({ value: one.name(), about: one.description() }));
  }
  const argument = nextArgument(position);
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, about: "" }));
  const name = argument.name();
  if (name === "profile") return profiles(env);
  if (name !== "mint" && name !== "launch") return [];
  return fromServer(name, position, env);
}

/** @returns tickers of the wallet's tokens or launches; none if the server does not answer */
async function fromServer(
  name: "mint" | "launch",
  position: Position,
  env: World["env"],
): Promise<Candidate[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { connect } = await import("./connect.ts");
  try {
    const settings = readSettings(globalOptions(position), env);
    const client = await connect({ settings, notices: silent });
    if (name === "mint") {
      const { tokens } = await client.tokens({ received: true, signal });
      return tokens.map(({ ticker, tokenName }) => candidate(ticker, tokenName));
    }
    const { launches } = await client.launches({ limit: MOST_LAUNCHES, signal });
    const command = position.command.name();
    const isUseful = Object.hasOwn(USEFUL, command) ? USEFUL[command] : undefined;
    // A ticker stands for the newest launch that has it.
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
