import type { LaunchCheck, LaunchRequest } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodes } from "../exit.ts";
import { hintOf } from "../explain.ts";
import { readImage } from "../image-file.ts";
import { aboutOwnLaunch } from "../own-launch.ts";
import type { Result } from "../result.ts";
import { aboutShortening, type LaunchFlags } from "./launch.ts";

/**
 * Asks what would become of a launch. The exit code is that of the launch, as far as is known.
 *
 * @throws {CliError} if the image's file cannot be read; it is not uploaded
 */
export async function checkLaunch(
  context: Context,
  request: LaunchRequest,
  flags: Pick<LaunchFlags, "image" | "allowShortenedName"> = {},
): Promise<Result> {
  const { image } = flags;
  if (image !== undefined) await readImage(image);
  const client = await connect(context);
  context.notices.progress(`Checking ${request.ticker}`);
  const data = await client.checkLaunch(request, { signal: context.signal });
  const failure = data.ok ? aboutShortening(request, flags) : failureOf(data);
  return { kind: "check", data, ...(failure !== null && { failure }) };
}

const EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  validation_failed: exitCodes.usage,
  ticker_taken: exitCodes.conflict,
  // 403, which has no code of its own.
  wallet_blocked: exitCodes.failed,
  invite_required: exitCodes.failed,
  not_on_allowlist: exitCodes.failed,
  agent_balance_low: exitCodes.failed,
};

function failureOf({ refusals, endsAs }: LaunchCheck): CliError {
  const [first] = refusals;
  if (!first) {
    return new CliError(endsAs?.status ?? "unknown", `The launch would end: ${endsAs?.error}`, {
      hint: "Run it after 00:00 UTC",
      exitCode: exitCodes.launchFailed,
    });
  }
  const { code } = first;
  const exitCode = Object.hasOwn(EXIT_CODES, code) ? EXIT_CODES[code] : exitCodes.unavailable;
  const hint = aboutOwnLaunch(first) ?? hintOf(code);
  const texts = refusals.map(({ error }) => error).join("; ");
  return new CliError(code, `The launch would be refused: ${texts}`, {
    ...(hint !== undefined && { hint }),
    ...(exitCode !== undefined && { exitCode }),
  });
}
