import type * as wire from "@tokenctl/shared/types";
import type { Answer } from "./internal/answer.ts";
import { answers } from "./internal/answers.ts";

/** The fields that are never null in the data of an event of each type. */
interface Present extends Record<wire.AgentEventType, keyof wire.AgentEventData> {
  "launch.failed": never;
  "launch.rate_limited": never;
  "claim.confirmed": "tokenMint" | "transactionHash";
  "claim.expired": "tokenMint" | "transactionHash";
  "launch.succeeded": "tokenMint";
  "token.migrated": "tokenMint";
  "token.handed_over": "tokenMint";
  "fees.claimable": "tokenMint";
}

/** Something that happened to a launch or token. Its `type` decides the fields of `data`. */
export type AgentEvent = {
  [Type in wire.AgentEventType]: Omit<wire.AgentEvent, "type" | "data"> & {
    type: Type;
    data: Omit<wire.AgentEventData, Present[Type]> & Record<Present[Type], string>;
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

/** Answers whose types are discriminated by an event's `type` or a launch's `status`. */
export const narrowedAnswers = {
  event: answers.AgentEvent as Answer<AgentEvent>,
  events: answers.AgentEventList as Answer<AgentEventList>,
  launch: answers.LaunchStatus as Answer<LaunchStatus>,
  launches: answers.LaunchList as Answer<LaunchList>,
};
