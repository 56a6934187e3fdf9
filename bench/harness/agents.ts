import { createHash } from "node:crypto";
import bs58 from "bs58";
import { systemClock } from "../../server/src/base/clock.ts";
import { BearerTokens } from "../../server/src/http/bearer-tokens.ts";

/** The secret of all measured servers. */
export const JWT_SECRET = "a secret of the benchmark, of 32 bytes or more";

/** @returns the address of the nth agent, the same in every run */
export function walletOf(agent: number): string {
  return bs58.encode(digest(`agent ${agent}`));
}

/** @returns the event id of the nth seeded launch, the same in every run */
export function eventIdOf(launch: number): string {
  const bytes = digest(`launch ${launch}`).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** @returns an address for a name, the same in every run */
export function addressOf(thing: string): string {
  return bs58.encode(digest(thing));
}

const bearerTokens = new BearerTokens(systemClock, new TextEncoder().encode(JWT_SECRET));

/** @returns a bearer token of a wallet, good for 15 minutes */
export function tokenOf(wallet: string): Promise<string> {
  return bearerTokens.issue(wallet);
}

/** @returns bearer tokens of the agents with these numbers */
export function tokensOf(agents: readonly number[]): Promise<string[]> {
  return Promise.all(agents.map((agent) => tokenOf(walletOf(agent))));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
