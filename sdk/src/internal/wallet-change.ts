import { isAssertion, LIGHTHOUSE_PROGRAM, MAX_ASSERTIONS } from "@tokenctl/shared/lighthouse";
import { equalBytes } from "./bytes.ts";
import { type LegacyMessage, readLegacyMessage } from "./wire-transaction.ts";

/**
 * Compares what a wallet signed with what it received. The wallet may add Lighthouse assertions
 * around the instructions; they read further accounts but do not write to them. Returns any other
 * change, for example `it has another blockhash`; null if there is none.
 */
export function forbiddenChange(given: Uint8Array, signed: Uint8Array): string | null {
  if (equalBytes(given, signed)) return null;
  try {
    const [before, after] = [readLegacyMessage(given), readLegacyMessage(signed)];
    return (
      headChange(before, after) ?? instructionChange(before, after) ?? accountChange(before, after)
    );
  } catch (cause) {
    return `it cannot be read: ${(cause as Error).message}`;
  }
}

function headChange(before: LegacyMessage, after: LegacyMessage): string | null {
  const [expected, signers] = [before, after].map(({ addresses, requiredSigners }) =>
    addresses.slice(0, requiredSigners).join(" and "),
  );
  if (signers !== expected) return `its signers are ${signers} instead of ${expected}`;
  return before.blockhash === after.blockhash ? null : "it has another blockhash";
}

function instructionChange(before: LegacyMessage, after: LegacyMessage): string | null {
  const expected = [...before.instructions];
  let assertions = 0;
  for (const [index, instruction] of after.instructions.entries()) {
    const { program, accounts, data } = instruction;
    if (program === LIGHTHOUSE_PROGRAM) {
      if (!isAssertion(data)) return `instruction ${index} of Lighthouse is not an assertion`;
      assertions++;
      continue;
    }
    const same = expected.shift();
    const isSame =
      same?.program === program &&
      isSameList(same.accounts, accounts) &&
      equalBytes(same.data, data);
    if (!isSame) return `instruction ${index}, of program ${program}, is added, moved or changed`;
  }
  if (expected[0]) return `an instruction of program ${expected[0].program} is missing`;
  if (assertions > MAX_ASSERTIONS) {
    return `it has ${assertions} assertions, more than ${MAX_ASSERTIONS}`;
  }
  if (assertions > 0) return null;
  // Without assertions, a wallet has no reason to encode the same instructions differently.
  return isSameList(before.addresses, after.addresses)
    ? "its bytes differ"
    : "it lists its accounts in another order";
}

function accountChange(before: LegacyMessage, after: LegacyMessage): string | null {
  const known = new Set(before.addresses);
  const used = new Set(
    after.instructions.flatMap(({ program, accounts }) => [program, ...accounts]),
  );
  if (new Set(after.addresses).size < after.addresses.length) return "it names an account twice";
  for (const address of after.addresses) {
    if (!known.has(address) && !used.has(address))
      return `no instruction uses its account ${address}`;
    if (after.writable.has(address) && !before.writable.has(address)) {
      return `it makes the account ${address} writable`;
    }
  }
  const unwritable = [...before.writable].find((address) => !after.writable.has(address));
  return unwritable === undefined ? null : `it makes the account ${unwritable} read-only`;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, place) => item === other[place]);
}
