import type { Network } from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import { connect, connectWallet } from "./client.ts";
import type { Desk, Result } from "./desk.ts";
import { CliError, type ExitCode, exitCodes } from "./errors.ts";
import { type Command, typedFields } from "./grammar/command.ts";
import { type Given, readTyped } from "./grammar/input.ts";
import { enterNetwork, readNetwork } from "./network.ts";
import { createNotices } from "./notices.ts";
import { factLines, renderResult } from "./render.ts";
import { reportError } from "./report-error.ts";
import { resolveNames } from "./resolve-token.ts";
import { type GlobalOptions, readSettings } from "./settings.ts";
import { createStyle, plain } from "./text.ts";
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
