import type { LaunchList as WireList, LaunchStatus as WireStatus } from "@tokenctl/shared/types";
import type { LaunchList, LaunchStatus } from "../launch-status.ts";
import { narrowed } from "./answer.ts";
import { answers } from "./answers.ts";

function missing({ status, tokenMint, poolAddress }: WireStatus): string | null {
  if (status !== "success") return null;
  if (tokenMint === null) return ".tokenMint is null";
  return poolAddress === null ? ".poolAddress is null" : null;
}

function missingIn({ launches }: WireList): string | null {
  const problems = launches.map(missing);
  const index = problems.findIndex((problem) => problem !== null);
  return index === -1 ? null : `.launches[${index}]${problems[index]}`;
}

/** Answers whose types are discriminated by `status`. */
export const launchAnswers = {
  status: narrowed<WireStatus, LaunchStatus>(answers.LaunchStatus, missing),
  list: narrowed<WireList, LaunchList>(answers.LaunchList, missingIn),
};
