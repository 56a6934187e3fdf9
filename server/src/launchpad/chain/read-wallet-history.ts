import type { Connection, PublicKey, SignaturesForAddressOptions } from "@solana/web3.js";
import { isOfUnknownVersion, readTransaction } from "../../solana/outcome.ts";
import { ChainUnavailableError } from "../errors.ts";
import { withRpcErrors } from "./cluster.ts";

/** The last transaction of the launch wallet that was seen. */
export interface HistoryPlace {
  /** Base58; null if there was none. */
  readonly signature: string | null;
  readonly slot: number;
}

export type WalletHistory = ReturnType<typeof walletHistory>;

/** The most signatures in one answer. Source: Solana's documentation, RPC. */
const PAGE = 1_000;

/**
 * Reads the launch wallet's transactions. Each call throws {@link ChainUnavailableError} if the RPC
 * does not answer, or does not know a transaction yet.
 * @param isLaunch whether an instruction of this program with this data creates a pool
 */
export function walletHistory(
  connection: Connection,
  wallet: PublicKey,
  isLaunch: (program: PublicKey, data: Uint8Array) => boolean,
) {
  const page = (options: SignaturesForAddressOptions) =>
    withRpcErrors(() => connection.getSignaturesForAddress(wallet, options));
  return {
    async newest(): Promise<HistoryPlace> {
      const slot = await withRpcErrors(() => connection.getSlot());
      const [newest] = await page({ limit: 1, minContextSlot: slot });
      return newest ?? { signature: null, slot };
    },

    /**
     * Returns the wallet's successful transactions after a place, oldest first. Refuses answers of
     * a node that is behind the place: if it lacks that transaction, all older ones seem new.
     */
    async since({ signature, slot }: HistoryPlace) {
      // `until` would not work: a node that has forgotten that transaction refuses to answer.
      const found: { readonly signature: string; readonly slot: number }[] = [];
      let before: string | undefined;
      for (;;) {
        const part = { limit: PAGE, minContextSlot: slot };
        const read = await page({ ...part, ...(before !== undefined && { before }) });
        const place = read.findIndex((each) => each.signature === signature);
        const newer = place === -1 ? read : read.slice(0, place);
        const later = newer.filter((each) => each.slot >= slot);
        found.push(...later.filter(({ err }) => err === null));
        before = read.at(-1)?.signature;
        if (later.length < PAGE) return found.reverse();
      }
    },

    /** Whether it created a pool; null if this program cannot read its version. */
    async isLaunch(signature: string): Promise<boolean | null> {
      const read = readTransaction(connection, signature).catch((error: unknown) => {
        if (isOfUnknownVersion(error)) return "unknown version" as const;
        throw error;
      });
      const found = await withRpcErrors(() => read);
      if (found === "unknown version") return null;
      if (found === null) throw new ChainUnavailableError("A transaction cannot be read yet");
      const { message } = found.transaction;
      const keys = message.getAccountKeys({
        accountKeysFromLookups: found.meta?.loadedAddresses ?? null,
      });
      return message.compiledInstructions.some(({ programIdIndex, data }) => {
        const program = keys.get(programIdIndex);
        return program !== undefined && isLaunch(program, data);
      });
    },
  };
}
