import { boundedFee } from "./cost.ts";
import { realLaunch } from "./expected-launch.ts";
import {
  expectSame,
  readUnsignedMessage,
  refuseInstruction,
  refuseTransaction,
} from "./instruction.ts";
import type { CheckedLaunch, LaunchTerms } from "./launch-terms.ts";
import { NO_SANDBOX, splitMark } from "./sandbox.ts";
import { sandboxLaunch } from "./sandbox-launch.ts";

export function checkLaunch(transaction: Uint8Array, terms: LaunchTerms): CheckedLaunch {
  const message = readUnsignedMessage(transaction);
  const { mark, own } = splitMark(message.instructions);
  if (terms.config === null && !mark) refuseTransaction("it could land on a real chain");
  if (terms.config !== null && mark) refuseInstruction(mark, NO_SANDBOX);
  const networkFeeLamports = boundedFee(message, terms);
  const { signers, instructions, ...launch } =
    terms.config === null ? sandboxLaunch(own, terms) : realLaunch(message, own, terms);
  const [seen, wanted] = [message.signers, [terms.agent, ...signers]];
  const isSame = seen.length === wanted.length && wanted.every((one) => seen.includes(one));
  if (!isSame || seen[0] !== terms.agent) {
    refuseTransaction(`its signers are ${seen.join(" and ")} instead of ${wanted.join(" and ")}`);
  }
  for (const [index, one] of instructions.entries()) {
    const found = own[index];
    if (found === undefined) refuseTransaction(`it has no ${one.name}`);
    expectSame(found, one);
  }
  const surplus = own[instructions.length];
  if (surplus) refuseInstruction(surplus, "it is no part of the launch asked for");
  return { ...launch, networkFeeLamports, firstBuyLamports: terms.firstBuy?.lamports ?? 0n };
}
