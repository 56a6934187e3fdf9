import type { ClaimCost, ClaimReceiver, PaidReceiver, ReceiverPayout } from "@tokenctl/sdk";
import { receiversFlaw } from "@tokenctl/shared/shares";
import { formatSol } from "@tokenctl/shared/sol";
import { CliError, UsageError } from "./errors.ts";
import type { Settings } from "./settings.ts";

/** Reads receivers such as `7xKX…=70`, or one address alone. Returns an error text if invalid. */
export function readReceivers(texts: readonly string[]): ClaimReceiver[] | string {
  const receivers = texts.map((text) => {
    const [address = "", given] = text.trim().split(/=(.*)/s);
    const share = given ?? (texts.length === 1 ? "100" : "");
    return { address, share: /^\d{1,3}%?$/.test(share) ? Number.parseInt(share, 10) : Number.NaN };
  });
  return receiversFlaw(receivers) ?? receivers;
}

/** Returns the given receivers, otherwise those of `config set payout`; undefined if the wallet gets all. */
export function chooseReceivers(
  { payout }: Settings,
  wallet: string,
  given?: readonly string[],
): readonly ClaimReceiver[] | undefined {
  const texts = given ?? payout?.split(",");
  if (texts === undefined) return undefined;
  const receivers = readReceivers(texts);
  if (typeof receivers === "string") {
    throw new UsageError(
      `The setting payout is wrong: ${receivers}`,
      "`tokenctl config set payout <wallet>` sets it, and `config unset payout` removes it",
    );
  }
  return receivers.every(({ address }) => address === wallet) ? undefined : receivers;
}

/** Lists receivers in a sentence, for example `7xKX… (70 %) and 9xQe… (30 %)`. */
export function namesOf(receivers: readonly ClaimReceiver[]): string {
  if (receivers.length === 1) return receivers[0]?.address ?? "";
  const names = receivers.map(({ address, share }) => `${address} (${share} %)`);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns a line for each receiver, for example `0.0071 SOL to 7xKX…`. */
export function payoutLines(receivers: readonly (PaidReceiver | ReceiverPayout)[] = []): string[] {
  return receivers.map((one) => {
    const lamports = "lamports" in one ? one.lamports : BigInt(one.paidLamports);
    return `${formatSol(lamports)} SOL to ${one.address}`;
  });
}

/** Returns the lamports that a claim costs at most. */
export function totalOf({ networkFeeLamports, rentLamports }: ClaimCost): bigint {
  return networkFeeLamports + rentLamports;
}

/** Limits the fees and rent of a command's claims. A claim counts in full once it is signed. */
export class ClaimBudget {
  #spent = 0n;

  constructor(private readonly lamports: bigint) {}

  get left(): bigint {
    return this.lamports - this.#spent;
  }

  /** @throws {CliError} `budget_exhausted` if the rest of the budget does not cover the claim */
  spend(claim: ClaimCost): void {
    const cost = totalOf(claim);
    if (this.#spent + cost > this.lamports) {
      const [most, spent, allowed] = [cost, this.#spent, this.lamports].map(formatSol);
      const message = `Not signed: this claim may cost ${most} SOL and earlier ones ${spent} SOL, more than the ${allowed} SOL allowed`;
      const hint = "Allow more with --max-total-fee-sol";
      throw new CliError("budget_exhausted", message, { hint });
    }
    this.#spent += cost;
  }
}
