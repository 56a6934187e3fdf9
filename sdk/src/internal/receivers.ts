import { receiversFlaw } from "@tokenctl/shared/shares";
import type { ClaimReceiver, ClaimTerms } from "../claim-check/terms.ts";
import { InvalidArgumentError } from "../errors.ts";

/** @throws {InvalidArgumentError} unless one to five wallets have shares that add up to 100 */
export function receiversOf(to: ClaimTerms["receivers"]): readonly ClaimReceiver[] {
  if (to === undefined) return [];
  const receivers = typeof to === "string" ? [{ address: to, share: 100 }] : to;
  if (!Array.isArray(receivers) || !receivers.every((one) => typeof one === "object" && one)) {
    throw new InvalidArgumentError("`to` is neither an address nor an array of receivers");
  }
  const flaw = receiversFlaw(receivers);
  if (flaw !== null) throw new InvalidArgumentError(`The receivers are wrong: ${flaw}`);
  return receivers;
}
