import type {
  AgentEventData,
  AgentEventType,
  AgentEvent as WireEvent,
  AgentEventList as WireList,
} from "@tokenctl/shared/types";
import { narrowed } from "./internal/answer.ts";
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
} as const satisfies Record<AgentEventType, readonly (keyof AgentEventData)[]>;

type Present<Type extends AgentEventType> = (typeof PRESENT)[Type][number];

/**
 * Something that happened to the agent's launch or token. Its `type` decides the fields of `data`.
 */
export type AgentEvent = {
  [Type in AgentEventType]: Omit<WireEvent, "type" | "data"> & {
    type: Type;
    data: Omit<AgentEventData, Present<Type>> & Record<Present<Type>, string>;
  };
}[AgentEventType];

/** Events of the agent. */
export type AgentEventList = Omit<WireList, "events"> & { events: AgentEvent[] };

function lacking({ type, data }: WireEvent): string | null {
  const wanted: readonly (keyof AgentEventData)[] = Object.hasOwn(PRESENT, type)
    ? PRESENT[type]
    : [];
  const missing = wanted.find((name) => data[name] === null);
  return missing === undefined ? null : `.data.${missing} is null`;
}

/** Answers with events, narrowed by their `type`. */
export const eventAnswers = {
  event: narrowed<WireEvent, AgentEvent>(answers.AgentEvent, lacking),
  list: narrowed<WireList, AgentEventList>(
    answers.AgentEventList,
    ({ events }) => events.map(lacking).find((problem) => problem !== null) ?? null,
  ),
};
