import type * as wire from "@tokenctl/shared/types";
import type { Answer } from "./internal/answer.ts";
import { answers } from "./internal/answers.ts";

/** The fields that are never null in the data of an event of each type. */
const PRESENT = {
  "launch.succeeded": ["tokenMint"],
  "launch.failed": [],
  "launch.rate_limited": [],
  "claim.confirmed": ["tokenMint", "transactionHash"],
  "claim.expired": ["tokenMint", "transactionHash"],
  "token.migrated": ["tokenMint"],
  "token.handed_over": ["tokenMint"],
  "fees.claimable": ["tokenMint"],
} as const satisfies Record<wire.AgentEventType, readonly (keyof wire.AgentEventData)[]>;

type Present<Type extends wire.AgentEventType> = (typeof PRESENT)[Type][number];

/**
 * Something that happened to the agent's launch or token. Its `type` decides the fields of `data`.
 */
export type AgentEvent = {
  [Type in wire.AgentEventType]: Omit<wire.AgentEvent, "type" | "data"> & {
    type: Type;
    data: Omit<wire.AgentEventData, Present<Type>> & Record<Present<Type>, string>;
  };
}[wire.AgentEventType];

/** Events of the agent. */
export type AgentEventList = Omit<wire.AgentEventList, "events"> & { events: AgentEvent[] };

/** The state of a launch. If its `status` is `success`, it has a mint and a pool. */
export type LaunchStatus = ByStatus<wire.LaunchStatus>;

/** A launch in a list. */
export type LaunchRecord = ByStatus<wire.Launch>;

/** The agent's launches, newest first. */
export type LaunchList = Omit<wire.LaunchList, "launches"> & { launches: LaunchRecord[] };

type ByStatus<Wire extends wire.LaunchStatus> = Omit<Wire, "status" | "tokenMint" | "poolAddress"> &
  (
    | { status: "success"; tokenMint: string; poolAddress: string }
    | { status: "pending" | "failed" | "rate_limited"; tokenMint: null; poolAddress: null }
  );

/** Adds a further check to an answer, after which the body has a narrower type. */
function narrowed<Wire, T>(
  { check }: Answer<Wire>,
  lacks: (body: Wire) => string | null,
): Answer<T> {
  return { check: (body) => check(body) ?? lacks(body as Wire) };
}

function lackingInEvent({ type, data }: wire.AgentEvent): string | null {
  const wanted: readonly (keyof wire.AgentEventData)[] = Object.hasOwn(PRESENT, type)
    ? PRESENT[type]
    : [];
  const missing = wanted.find((name) => data[name] === null);
  return missing === undefined ? null : `.data.${missing} is null`;
}

function lackingInLaunch({ status, tokenMint, poolAddress }: wire.LaunchStatus): string | null {
  if (status !== "success") return null;
  if (tokenMint === null) return ".tokenMint is null";
  return poolAddress === null ? ".poolAddress is null" : null;
}

/** Returns the first problem in a list, with its place. */
function inList<T>(list: string, items: readonly T[], lacking: (item: T) => string | null) {
  const problems = items.map(lacking);
  const index = problems.findIndex((problem) => problem !== null);
  return index === -1 ? null : `.${list}[${index}]${problems[index]}`;
}

/** Answers whose types are discriminated by an event's `type` or a launch's `status`. */
export const narrowedAnswers = {
  event: narrowed<wire.AgentEvent, AgentEvent>(answers.AgentEvent, lackingInEvent),
  events: narrowed<wire.AgentEventList, AgentEventList>(answers.AgentEventList, ({ events }) =>
    inList("events", events, lackingInEvent),
  ),
  launch: narrowed<wire.LaunchStatus, LaunchStatus>(answers.LaunchStatus, lackingInLaunch),
  launches: narrowed<wire.LaunchList, LaunchList>(answers.LaunchList, ({ launches }) =>
    inList("launches", launches, lackingInLaunch),
  ),
};
