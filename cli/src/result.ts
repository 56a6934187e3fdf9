import type {
  ClaimList,
  ClaimResult,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  Health,
  LaunchAccepted,
  LaunchStatus,
  Token,
  TokenList,
} from "@tokenctl/sdk";
import type { CliError } from "./errors.ts";

/** What a command found out. `data` is what `--json` prints. */
export type Result = (
  | { kind: "keygen"; data: { address: string; keypair: string } }
  | { kind: "address"; data: { address: string } }
  | { kind: "login"; data: LoginData }
  | { kind: "session"; data: LoginData & { token: string } }
  | { kind: "accepted"; data: LaunchAccepted }
  | { kind: "launch"; data: LaunchStatus }
  | { kind: "tokens"; data: TokenList }
  | { kind: "token"; data: Token }
  | { kind: "fees"; data: ClaimList }
  | { kind: "claim"; data: { tokenMint: string } & Omit<ClaimResult, "success"> }
  | { kind: "claimAll"; data: { claims: ClaimOutcome[]; claimedSOL: number } }
  | { kind: "health"; data: Health }
  | { kind: "airdrop"; data: DevAirdrop }
  | { kind: "trade"; data: DevTrade }
  | { kind: "graduation"; data: DevGraduation }
) & {
  /** Told on stderr after the result, and decides the exit code. */
  failure?: CliError;
};

/** A sign-in, without its secret. */
interface LoginData {
  wallet: string;
  apiUrl: string;
  expiresInSeconds: number | null;
}

/** What became of one token's claim. */
export interface ClaimOutcome extends Pick<ClaimResult, "verified" | "gainedSOL"> {
  tokenMint: string;
  ticker: string;
  /** 0 where it failed. */
  claimedSOL: number;
  transactionHash: string | null;
  /** Why it failed; null otherwise. */
  error: string | null;
}
