import type { Network } from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import type { Ora } from "ora";
import { connect, connectWallet } from "./client.ts";
import type { Desk, Notices, Result } from "./desk.ts";
import { CliError, type ExitCode, exitCodes } from "./errors.ts";
import { reportError } from "./explain-error.ts";
import { elapsedText } from "./format.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { type Given, readTyped } from "./grammar/input.ts";
import { wrapped } from "./layout.ts";
import { enterNetwork, readNetwork } from "./network.ts";
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
  const { needs, effect, doing, unsettled } = command;
  const json = options.json === true;
  const interruption = new AbortController();
  const { signal } = interruption;
  const canAsk = !json && (await world.canAsk());
  let { apiUrl } = options;
  let stop = () => {};
  const ask = (prompt: string) => {
    stop();
    return world.ask(plain(prompt), signal);
  };
  const removeListener = world.onInterrupt(() => {
    // Stop at once, so that the cursor reappears immediately.
    stop();
    interruption.abort();
  });
  try {
    const input = await readTyped(command, given, options, canAsk ? ask : null);
    // `config` can name a profile that does not exist yet.
    const named = needs === "no profile" ? { ...options, profile: "" } : options;
    const settings = readSettings(named, env);
    apiUrl = settings.apiUrl;
    const notices = await createNotices(world, settings);
    stop = notices.stop;
    const style = createStyle(await out.isTerminal(), env);
    const look = { json, style, width: await out.columns() };
    const print = (result: Result, isOneOfMany: boolean) => {
      stop();
      out.write(renderResult(result, look, isOneOfMany));
    };
    let chain: Promise<Network | undefined> | undefined;
    const isReal = effect === "pays" || effect === "irreversible";
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
      network: () => (chain ??= isReal ? enterNetwork(desk) : readNetwork(desk)),
      async confirm(question, isAgreed = false, transaction, typed = "y") {
        if (isAgreed || !canAsk) return;
        const isYes = typed === "y";
        // A sandbox's name is trusted only if the transaction can land on no other chain.
        const isPlay =
          PLAY.includes(await desk.network()) &&
          (transaction === undefined || !(await desk.client.hasValue(transaction, { signal })));
        if (isYes && isPlay) return;
        const asked = await question();
        if (asked === null) return;
        stop();
        err.write(factLines(asked.facts, look.width));
        const where = (await desk.network()) ?? "an unknown chain";
        const how = isYes ? "[y/N]" : `The last ${typed.length} characters of the address:`;
        const answer = (await ask(`${asked.action} on ${where}? ${how} `)).trim();
        if (isYes ? /^y(es)?$/i.test(answer) : answer === typed) return;
        const hint = isYes ? "Answer y" : `Type ${typed.length} characters, capitals as they are`;
        throw new CliError("declined", "Nothing was done", { hint: `${hint}, or add --yes` });
      },
      ask: canAsk ? ask : null,
      readSecret: (prompt, again) => world.readSecret(prompt, signal, again),
      print: (result) => print(result, true),
    };
    if (doing) notices.progress(doing);
    const wallet = async () => desk.client ?? connectWallet(ends);
    const resolved = await resolveNames(wallet, typedFields(command), input, signal);
    const result = await command.run(desk, resolved).catch((cause: unknown) => {
      if (!(unsettled && cause instanceof Error && cause.name === "AbortError")) throw cause;
      const context = { hint: unsettled, cause };
      throw new CliError("aborted", "Interrupted before the server answered", context);
    });
    stop();
    if (result === null) return signal.aborted ? exitCodes.interrupted : exitCodes.done;
    print(result, false);
    for (const line of result.next ?? []) notices.notice(line);
    return result.failure ? reportError(result.failure, json, world) : exitCodes.done;
  } catch (error) {
    stop();
    return reportError(error, json, world, { apiUrl, command });
  } finally {
    removeListener();
  }
}

/** After this many milliseconds of silence, the spinner says so. */
const SILENT_MS = 3_000;
const TICK_MS = 1_000;

async function createNotices(world: World, settings: Settings): Promise<Notices> {
  const isTerminal = await world.err.isTerminal();
  const style = createStyle(isTerminal, world.env);
  const isShown = isTerminal && !settings.quiet && !settings.json;
  // A terminal that cannot move its cursor would show every frame of a spinner on a new line.
  const columns = await world.err.columns();
  const canSpin = isShown && world.env.TERM !== "dumb" && columns !== null;
  let { default: ora } = canSpin ? await import("ora") : { default: undefined };
  const isColored = !world.env.NO_COLOR;
  let spinner: Ora | undefined;
  let ticker: ReturnType<typeof setInterval> | undefined;
  let repeat = () => {};

  const write = (lines: string) => {
    spinner?.clear();
    world.err.write(wrapped(lines, columns));
    spinner?.render();
  };
  const notice = (text: string) => {
    if (isShown) write(`${style.dim(plain(text))}\n`);
  };
  const show = (text: string) => {
    if (!ora) return notice(text);
    if (spinner) {
      spinner.text = plain(text);
      return;
    }
    // `discardStdin` would set raw mode, and a killed process would leave the terminal in it.
    spinner = ora({ text: plain(text), discardStdin: false, isEnabled: true });
    if (!isColored) spinner.color = false;
    process.stderr.on("resize", onResize);
    spinner.start();
  };
  // Ora divides by the width: at 0 it would clear lines without end.
  const onResize = () => {
    if (process.stderr.columns > 0) return;
    ora = undefined;
    stop();
    repeat();
  };
  const stop = () => {
    clearInterval(ticker);
    if (!spinner) return;
    process.stderr.off("resize", onResize);
    spinner.stop();
    spinner = undefined;
  };
  const progress = (text: string, since?: number) => {
    clearInterval(ticker);
    if (!isShown) return;
    repeat = () => progress(text, since);
    const begun = Date.now();
    const timed = () => {
      if (since !== undefined) return `${text} (${elapsedText(Date.now() - since)})`;
      const silent = Date.now() - begun;
      return silent < SILENT_MS ? text : `${text}: no answer for ${elapsedText(silent)}`;
    };
    // Without a spinner each text is a new line, so print only the first and the silence notice.
    show(ora ? timed() : text);
    if (ora) ticker = setInterval(() => show(timed()), TICK_MS);
    else if (since === undefined) ticker = setTimeout(() => show(timed()), SILENT_MS);
  };
  const warn = (text: string) => {
    if (settings.quiet) return;
    const line = `${style.yellow("warning:")} ${plain(text)}`;
    write(`${settings.json ? plainJson({ warning: text }) : line}\n`);
  };
  return { notice, warn, progress, stop };
}
