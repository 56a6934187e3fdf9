import type { Network } from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import { connect, connectWallet } from "./client.ts";
import type { Desk, Notices, Result } from "./desk.ts";
import { CliError, type ExitCode, exitCodes } from "./errors.ts";
import { reportError } from "./explain-error.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { type Given, readTyped } from "./grammar/input.ts";
import { wrapped } from "./layout.ts";
import { readNetwork } from "./network.ts";
import { factLines, renderResult } from "./render.ts";
import { resolveNames } from "./resolve-token.ts";
import { type GlobalOptions, readSettings, type Settings } from "./settings.ts";
import { createStyle, plain, plainJson } from "./text.ts";
import type { World } from "./world.ts";

/** Runs a command for a person or a script. The result goes to stdout, the rest to stderr. */
export async function runCommand(
  command: Command,
  given: Given,
  options: GlobalOptions,
  world: World,
): Promise<ExitCode> {
  const { env, out, err } = world;
  const { needs, unsettled } = command;
  const json = options.json === true;
  const interruption = new AbortController();
  const { signal } = interruption;
  const canAsk = !json && (await world.canAsk());
  let { apiUrl } = options;
  const removeListener = world.onInterrupt(() => interruption.abort());
  let stop = () => {};
  try {
    const input = readTyped(command, given, options);
    const settings = readSettings(options, env);
    apiUrl = settings.apiUrl;
    const notices = await createNotices(world, settings);
    stop = notices.stop;
    const style = createStyle(await out.isTerminal(), env);
    const look = { json, style, width: await out.columns() };
    const print = (result: Result, isOneOfMany: boolean) => {
      notices.stop();
      return out.write(renderResult(result, look, isOneOfMany));
    };
    let chain: Promise<Network | undefined> | undefined;
    const ends = { env, settings, notices };
    const desk: Desk = {
      // A command that declares no client never uses `client`.
      client:
        needs === undefined
          ? await connectWallet(ends)
          : needs === "server"
            ? connect(ends)
            : (undefined as never),
      ...{ settings, options, env, notices, signal, model: null, canAsk },
      network: () => (chain ??= readNetwork(desk)),
      async confirm(question, isAgreed = false, transaction) {
        if (isAgreed || !canAsk) return;
        // A sandbox's name is trusted only if the transaction can land on no other chain.
        const isPlay =
          PLAY.includes(await desk.network()) &&
          (transaction === undefined || !(await desk.client.hasValue(transaction, { signal })));
        const asked = isPlay ? null : await question();
        if (asked === null) return;
        notices.stop();
        err.write(factLines(asked.facts, look.width));
        const where = (await desk.network()) ?? "an unknown chain";
        const answer = await world.ask(plain(`${asked.action} on ${where}? [y/N] `), signal);
        if (/^\s*y(es)?\s*$/i.test(answer)) return;
        throw new CliError("declined", "Nothing was done", { hint: "Answer y, or add --yes" });
      },
      print: (result) => print(result, true),
    };
    const wallet = async () => desk.client ?? connectWallet(ends);
    const resolved = await resolveNames(wallet, typedFields(command), input, signal);
    const result = await command.run(desk, resolved).catch((cause: unknown) => {
      if (!unsettled || Object(cause).name !== "AbortError" || Object(cause).eventId) throw cause;
      const context = { hint: unsettled, cause };
      throw new CliError("aborted", "Interrupted before the server answered", context);
    });
    stop();
    if (result === null) return signal.aborted ? exitCodes.interrupted : exitCodes.done;
    print(result, false);
    for (const line of result.next ?? []) notices.notice(line);
    stop();
    return result.failure ? reportError(result.failure, json, world) : exitCodes.done;
  } catch (error) {
    stop();
    return reportError(error, json, world, { apiUrl, command });
  } finally {
    removeListener();
  }
}

/** The latest notice spins on a terminal that can move its cursor; otherwise each is a line. */
async function createNotices(world: World, settings: Settings): Promise<Notices> {
  const isTerminal = await world.err.isTerminal();
  const columns = await world.err.columns();
  const style = createStyle(isTerminal, world.env);
  const isShown = isTerminal && !settings.quiet && !settings.json;
  const canSpin = isShown && columns !== null && world.env.TERM !== "dumb";
  // `discardStdin` would set raw mode, and a killed process would leave the terminal in it.
  let spinner = canSpin
    ? (await import("ora")).default({ discardStdin: false, isEnabled: true, color: false })
    : null;
  const write = (line: string) => void world.err.write(`${wrapped(line, columns)}\n`);
  let shown = "";
  // Ora divides by the width: at 0 it would clear lines without end.
  const onResize = () => {
    if (process.stderr.columns > 0) return;
    stop();
    spinner = null;
  };
  const stop = () => {
    if (!spinner?.isSpinning) return;
    process.stderr.off("resize", onResize);
    spinner.stop();
    write(style.dim(plain(shown)));
  };
  return {
    stop,
    notice(text) {
      if (!isShown || text === shown) return;
      stop();
      shown = text;
      if (!spinner) return write(style.dim(plain(text)));
      process.stderr.on("resize", onResize);
      spinner.start(plain(text));
    },
    warn(text) {
      if (settings.quiet) return;
      stop();
      const line = `${style.yellow("warning:")} ${plain(text)}`;
      write(settings.json ? plainJson({ warning: text }) : line);
    },
  };
}
