export type EventType =
  | "launch.succeeded"
  | "launch.failed"
  | "launch.rate_limited"
  | "claim.confirmed"
  | "claim.expired"
  | "token.migrated"
  | "token.handed_over"
  | "fees.claimable";
