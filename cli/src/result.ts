import type {
  AgentEvent,
  ClaimList,
  ClaimResult,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  Health,
  LaunchAccepted,
  LaunchCheck,
  LaunchList,
  LaunchRequest,
  LaunchStatus,
  Network,
  PaidClaim,
  RedeemedInvite,
  Token,
  TokenList,
  UnreadableClaim,
  WalletBalance,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRemoved,
  WebhookWithSecret,
} from "@tokenctl/sdk";
import type { ProfileSettings } from "./config-file.ts";
import type { CliError } from "./errors.ts";
import type { FoundSetting } from "./settings.ts";

/** The result of a command. `data` is what `--json` prints, with the network if that is known. */
export type Result = (
  | { kind: "keygen"; data: { address: string; keypair: string; seedPhrase?: string } }
  | { kind: "text"; data: { text: string } }
  | { kind: "config"; data: ConfigData }
  | { kind: "settings"; data: { settings: ({ key: string } & FoundSetting)[] } }
  | { kind: "balance"; data: WalletBalance }
  | { kind: "page"; data: { url: string } }
  | { kind: "address"; data: { address: string } }
  | { kind: "login"; data: LoginData }
  | { kind: "session"; data: LoginData & { token: string } }
  | { kind: "redeemed"; data: RedeemedInvite & { wallet: string } }
  | { kind: "accepted"; data: LaunchAccepted }
  | { kind: "check"; data: LaunchCheck }
  | { kind: "launch"; data: LaunchStatus }
  | { kind: "launches"; data: LaunchList }
  | { kind: "tokens"; data: TokenList }
  | { kind: "token"; data: Token & TokenLinks }
  | { kind: "fees"; data: ClaimList }
  | { kind: "claim"; data: { tokenMint: string } & Omit<ClaimResult, "success"> }
  | { kind: "claimAll"; data: ClaimAllData }
  | { kind: "history"; data: { claims: PaidClaim[] }; lines?: "csv" | "jsonl" }
  | { kind: "health"; data: Health }
  | { kind: "airdrop"; data: DevAirdrop }
  | { kind: "trade"; data: DevTrade }
  | { kind: "graduation"; data: DevGraduation }
  | { kind: "event"; data: EventData }
  | { kind: "webhooks"; data: WebhookList }
  | { kind: "webhookSecret"; data: WebhookWithSecret }
  | { kind: "webhookRemoved"; data: WebhookRemoved }
  | { kind: "delivery"; data: WebhookDelivery }
  | { kind: "deliveries"; data: WebhookDeliveryList }
) & {
  /** The chain that it is about; absent if that is not known. */
  network?: Network | undefined;
  /** What the command says if its filter left nothing of what there is. */
  filtered?: string;
  /** What to do or look at next: printed on stderr after the result, on a terminal. */
  next?: readonly string[];
  /** Printed on stderr after the result; decides the exit code. */
  failure?: CliError;
};

/** An event, with the SOL that it is about if that is known. */
export type EventData = AgentEvent & { claimedSOL?: number; claimableSOL?: number };

/** The image and links of a token, in the words of a launch; what it has none of is left out. */
export type TokenLinks = Pick<LaunchRequest, "imageUrl" | "website" | "twitter" | "telegram">;

/** A sign-in, without its secret. */
interface LoginData {
  wallet: string;
  apiUrl: string;
  expiresInSeconds: number | null;
  /** Absent if the server does not say. */
  network?: Network;
}

/** The profiles of the configuration file. */
export interface ConfigData {
  /** Whose settings are used without --profile; null if there is none. */
  current: string | null;
  profiles: ({ name: string } & ProfileSettings)[];
}

/** The result of `claim --all`. */
export interface ClaimAllData {
  /** The claims that were tried. */
  claims: TriedClaim[];
  claimedSOL: number;
  /** The tokens for which no claim was made. */
  skipped: SkippedToken[];
  /** The tokens that were skipped because the server cannot read their fees. */
  unreadable?: UnreadableClaim[];
}

/** A token without a claim: it has no fees, less than the minimum, or an earlier failure ended all. */
export interface SkippedToken {
  tokenMint: string;
  ticker: string;
  reason: "nothing_to_claim" | "below_minimum" | "not_tried";
  claimableSOL: number;
}

/** The result of one token's claim. */
export interface TriedClaim extends Pick<ClaimResult, "verified" | "gainedSOL"> {
  tokenMint: string;
  ticker: string;
  /** 0 if it failed. */
  claimedSOL: number;
  transactionHash: string | null;
  /** Why it failed; null otherwise. */
  error: string | null;
}
