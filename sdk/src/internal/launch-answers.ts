import type { Launch, LaunchStatus as WireStatus } from "@tokenctl/shared/types";
import type { LaunchList, LaunchStatus } from "../launch-status.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";

/** @returns what a successful launch lacks */
function missing({ status, tokenMint, poolAddress }: WireStatus): string | null {
  if (status !== "success") return null;
  if (tokenMint === null) return ".tokenMint is null";
  return poolAddress === null ? ".poolAddress is null" : null;
}

function missingIn(launches: readonly Launch[]): string | null {
  const problems = launches.map(missing);
  const index = problems.findIndex((problem) => problem !== null);
  return index === -1 ? null : `.launches[${index}]${problems[index]}`;
}

/** Answers whose types are discriminated by `status`. */
export const launchAnswers = {
  status: {
    check: (body) => answers.LaunchStatus.check(body) ?? missing(body as WireStatus),
  } as Answer<LaunchStatus>,
  list: {
    check: (body) =>
      answers.LaunchList.check(body) ?? missingIn((body as { launches: Launch[] }).launches),
  } as Answer<LaunchList>,
};
