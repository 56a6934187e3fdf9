import type {
  Launch,
  LaunchList as WireList,
  LaunchStatus as WireStatus,
} from "@tokenctl/shared/types";

/** The state of a launch. If its `status` is `success`, it has a mint and a pool. */
export type LaunchStatus = ByStatus<WireStatus>;

/** A launch in a list. */
export type LaunchRecord = ByStatus<Launch>;

/** The agent's launches, newest first. */
export type LaunchList = Omit<WireList, "launches"> & { launches: LaunchRecord[] };

type ByStatus<Wire extends WireStatus> = Omit<Wire, "status" | "tokenMint" | "poolAddress"> &
  (
    | { status: "success"; tokenMint: string; poolAddress: string }
    | { status: "pending" | "failed" | "rate_limited"; tokenMint: null; poolAddress: null }
  );
