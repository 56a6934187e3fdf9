import type { StoredAccount } from "./account.ts";
import type { WireMessage } from "./wire-message.ts";

/** The offset of the addresses (solana-address-lookup-table-interface `LOOKUP_TABLE_META_SIZE`). */
const META_BYTES = 56;

export interface LoadedAddresses {
  readonly writable: readonly Uint8Array[];
  readonly readonly: readonly Uint8Array[];
}

/** The addresses that a message loads from lookup tables; missing ones are left out. */
export function loadAddresses(
  message: WireMessage,
  accountOf: (table: Uint8Array) => StoredAccount | null,
): LoadedAddresses {
  const writable: Uint8Array[] = [];
  const readonly: Uint8Array[] = [];
  for (const lookup of message.lookups) {
    const data = accountOf(lookup.table)?.data ?? new Uint8Array();
    for (const index of lookup.writable) writable.push(...addressAt(data, index));
    for (const index of lookup.readonly) readonly.push(...addressAt(data, index));
  }
  return { writable, readonly };
}

function addressAt(data: Uint8Array, index: number): Uint8Array[] {
  const start = META_BYTES + 32 * index;
  return start + 32 <= data.length ? [data.subarray(start, start + 32)] : [];
}
