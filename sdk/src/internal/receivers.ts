import { decodeBase58 } from "@tokenctl/shared/base58";
import { limits } from "@tokenctl/shared/limits";
import type { ClaimReceiver, ClaimTerms } from "../claim-check/terms.ts";
import { InvalidArgumentError } from "../errors.ts";

/** @throws {InvalidArgumentError} unless the shares of up to five wallets make 100 percent */
export function receiversOf(to: ClaimTerms["receivers"]): readonly ClaimReceiver[] {
  if (to === undefined) return [];
  const receivers = typeof to === "string" ? [{ address: to, share: 100 }] : to;
  if (!Array.isArray(receivers) || !receivers.every((one) => typeof one === "object" && one)) {
    throw new InvalidArgumentError("`to` is neither an address nor an array of receivers");
  }
  const { max } = limits.claimReceivers;
  if (receivers.length === 0 || receivers.length > max) {
    throw new InvalidArgumentError(`A claim pays 1 to ${max} receivers`);
  }
  const addresses: unknown[] = receivers.map(({ address }) => address);
  for (const [index, address] of addresses.entries()) {
    if (typeof address !== "string" || decodeBase58(address, 32) === null) {
      throw new InvalidArgumentError("A receiver is not an address, which is base58 of 32 bytes");
    }
    if (addresses.indexOf(address) !== index) {
      throw new InvalidArgumentError(`The receiver ${address} is named twice`);
    }
  }
  const isShare = ({ share }: ClaimReceiver) => Number.isInteger(share) && share >= 1;
  if (!receivers.every(isShare) || receivers.reduce((sum, { share }) => sum + share, 0) !== 100) {
    throw new InvalidArgumentError(
      "The receivers' shares must be whole percentages that add up to 100",
    );
  }
  return receivers;
}
